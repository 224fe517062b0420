import type { Peer } from "@uag/contract/access/rpc";
import { certificateFiles } from "./identity/certificates.ts";
import type { Ports } from "./ports.ts";
import type { Environment, ServiceRow } from "./processes.ts";
import { isProviderSetting } from "./providers.ts";
import { respondsOk } from "./supervisor/health.ts";
import type { ProcessSpec } from "./supervisor/process.ts";

/** A program and its arguments that execute the command after them. */
export type CommandPrefix = readonly [file: string, ...args: string[]];

export interface ServiceProcessOptions {
  row: ServiceRow;
  /** The checkout whose code is run. */
  root: string;
  /** Its program. */
  program: string;
  around: Environment;
  ports: Ports;
  replicas: number;
  /** Settings for every service in addition to its row's; they take precedence. */
  env: Readonly<Record<string, string>>;
  /** The prefix of its command; default: none. */
  prefix: CommandPrefix | undefined;
}

/**
 * A young generation of 32 MiB instead of 16, so that what a stream of a few seconds needs dies
 * before it is copied. And an old generation that may grow to three times its live size before a
 * collection: by default V8, seeing processes that pause now and then, collected it every second or
 * two while streams ran (infra/decisions/0004-speed.md).
 */
export const nodeOptions = ["--max-semi-space-size=32", "--heap-growing-percent=200", "--expose-gc"];

const livenessWaitMs = 5_000;
const leastStopMs = 10_000;
/** Time after its drain in which usage is delivered and connections are closed. */
const stopShare = 1.25;

/**
 * The names of a service's processes: `chat`, `chat-2`, ... The first keeps its name whatever the
 * number of replicas.
 */
export function replicaNames(service: string, replicas: number): string[] {
  return Array.from({ length: replicas }, (_, index) => (index === 0 ? service : `${service}-${index + 1}`));
}

export function portName(replica: string, variable: string): string {
  return `${replica}.${variable}`;
}

/**
 * The part of the caller's environment that services inherit: everything except provider keys,
 * which only some may see, and variables that concern the caller's own process.
 */
function inherited(env: NodeJS.ProcessEnv): Record<string, string> {
  const own = /^(PORT|HOST|DATA_DIR|PARENT_PIPE_FD|NODE_TEST_CONTEXT|npm_.*)$/;
  const entries = Object.entries(env).filter(([name]) => !own.test(name) && !isProviderSetting(name));
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Every service of a fleet uses TLS, regardless of the caller's environment. */
function tlsSettings(dataDir: string, peer: Peer): Record<string, string> {
  const { cert, key, ca } = certificateFiles(dataDir, peer);
  return { TLS: "on", TLS_CERT_FILE: cert, TLS_KEY_FILE: key, TLS_CA_FILE: ca };
}

/** Loopback traffic bypasses proxies, including calls to the simulator. */
function noProxy(env: NodeJS.ProcessEnv): string {
  return [env["NO_PROXY"] || env["no_proxy"], "127.0.0.1", "localhost", "::1"].filter(Boolean).join(",");
}

/** How a program of the services is run. */
export const commandOf = (program: string): ProcessSpec["command"] => [process.execPath, ...nodeOptions, program];

/** The processes of one service, for the supervisor. */
export async function serviceProcesses(options: ServiceProcessOptions): Promise<ProcessSpec[]> {
  const { row, root, around, ports } = options;
  const specs: ProcessSpec[] = [];
  const command = commandOf(options.program);
  for (const name of replicaNames(row.name, options.replicas)) {
    const numbers: Record<string, string> = {};
    for (const variable of row.ports) numbers[variable] = String(await ports.get(portName(name, variable)));
    const [variable, path] = row.ready;
    const own = { ...row.env(around), ...options.env };
    specs.push({
      name,
      command: options.prefix === undefined ? command : [...options.prefix, ...command],
      cwd: root,
      env: {
        ...inherited(around.callerEnv),
        NO_PROXY: noProxy(around.callerEnv),
        no_proxy: noProxy(around.callerEnv),
        SERVICE_NAME: row.name,
        HOST: "127.0.0.1",
        ...numbers,
        ...(row.peer && { ...tlsSettings(around.dataDir, row.peer), ...around.engineSettings(row.peer) }),
        ...own,
      },
      stopMs: Math.max(leastStopMs, Number(own["LINGER_MS"] ?? 0) + stopShare * Number(own["DRAIN_MS"] ?? 0)),
      isReady: () => respondsOk(`http://127.0.0.1:${numbers[variable]}${path}`),
      liveness: { isAlive: () => respondsOk(`http://127.0.0.1:${numbers[variable]}${row.alive}`, livenessWaitMs) },
    });
  }
  return specs;
}
