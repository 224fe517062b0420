import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Identity, identityFrom } from "@uag/runtime/rpc/identity";
import type { Ready } from "./child.ts";
import type { BenchOptions } from "./options.ts";
import type { ProcessTable } from "./proc.ts";
import { Process } from "./processes.ts";
import type { Endpoint } from "./request.ts";

export type TargetName = "direct" | "baseline" | "gateway";

/** A target: its endpoint and its processes. */
export interface Target {
  readonly name: TargetName;
  readonly endpoint: Endpoint;
  /** Empty if unknown; then only times are measured. */
  readonly processes: ProcessTable;
  /** The service with the ledger, `host:port`, and the benchmark's identity there, if both are known. */
  readonly billing?: { readonly address: string; readonly identity: Identity };
  /** Folder of its logs, when the benchmark started it. */
  readonly logDir?: string;
}

/** Database and message servers: run by the operator in production, so their cost is shown separately. */
export const engineNames: ReadonlySet<string> = new Set(["mongod", "nats-server", "nats", "mongodb"]);

const benchKey = "bench";
const startMs = 10_000;

export interface Started {
  readonly stack: AsyncDisposableStack;
  readonly signal: AbortSignal;
  readonly options: BenchOptions;
  /** Added to the environment of the gateway's processes. */
  readonly env: Readonly<Record<string, string>>;
}

/** The upstream itself, as the baseline of the other targets' latency. */
export async function startUpstream({ stack, signal, options }: Started): Promise<Target> {
  const upstream = stack.use(Process.start({ name: "upstream", args: [String(options.upstreamPort)] }));
  const { port } = await upstream.next({ choose: readyMessage, timeoutMs: startMs, signal });
  return { name: "direct", endpoint: endpointAt(port, options.model), processes: new Map() };
}

export async function startBaseline({ stack, signal, options, env }: Started, direct: Target): Promise<Target> {
  const origin = `http://${direct.endpoint.host}:${direct.endpoint.port}`;
  const baseline = stack.use(Process.start({ name: "baseline", args: [origin, benchKey], env }));
  const { port } = await baseline.next({ choose: readyMessage, timeoutMs: startMs, signal });
  return { name: "baseline", endpoint: endpointAt(port, options.model), processes: new Map([["proxy", baseline.pid]]) };
}

/** A running gateway. */
export async function findRunning(options: BenchOptions): Promise<Target | undefined> {
  const { running } = options;
  if (running === undefined) return undefined;
  const { url, key, pidFile } = running;
  const endpoint = endpointOf({ url, key, model: options.model });
  if (pidFile === undefined) return { name: "gateway", endpoint, processes: new Map() };
  return { name: "gateway", endpoint, ...knownFrom(await readRunFile(pidFile)) };
}

function endpointOf(options: { readonly url: URL; readonly key: string; readonly model: string }): Endpoint {
  const { url, key, model } = options;
  const path = url.pathname.replace(/\/$/, "");
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || 80),
    basePath: path === "" ? "/v1" : path,
    key,
    model,
  };
}

/** The used part of the fleet's run.json; only the process ids are required. */
interface RunFile {
  readonly pids?: Readonly<Record<string, number>>;
  readonly grpc?: Readonly<Record<string, string>>;
  readonly tls?: { readonly cert_file: string; readonly key_file: string; readonly ca_file: string };
}

async function readRunFile(file: string): Promise<RunFile> {
  return JSON.parse(await readFile(file, "utf8")) as RunFile;
}

function knownFrom({ pids, grpc, tls }: RunFile): Pick<Target, "processes" | "billing"> {
  if (pids === undefined) throw new Error('the file of processes has no "pids"');
  // The simulator replaces providers and is not part of the gateway.
  const processes = new Map(Object.entries(pids).filter(([name]) => name !== "simulator"));
  const address = grpc?.["billing"];
  if (address === undefined || tls === undefined) return { processes };
  const identity = identityFrom({ cert: tls.cert_file, key: tls.key_file, ca: tls.ca_file });
  return { processes, billing: { address, identity } };
}

function endpointAt(port: number, model: string): Endpoint {
  return { host: "127.0.0.1", port, basePath: "/v1", key: benchKey, model };
}

function readyMessage(message: unknown): Ready | undefined {
  return typeof message === "object" && message !== null && "port" in message ? (message as Ready) : undefined;
}

/** The settings with which the upstream is a gateway's OpenAI and Gemini. */
function upstreamEnv({ endpoint: { host, port, basePath } }: Target): Record<string, string> {
  const origin = `http://${host}:${port}`;
  return {
    OPENAI_BASE_URL: `${origin}${basePath}`,
    OPENAI_API_KEY: benchKey,
    GEMINI_BASE_URL: origin,
    GEMINI_API_KEY: benchKey,
  };
}

/** Starts the fleet on a fresh data directory, with the benchmark's upstream as its OpenAI and Gemini. */
export async function startFleet({ stack, signal, options, env }: Started, direct: Target): Promise<Target> {
  const dataDir = await mkdtemp(join(tmpdir(), "bench-fleet-"));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  // Loaded only if it is measured, because everything else works without the fleet.
  const fleet = await import("@uag/local/service");
  const { run } = stack.use(
    await fleet.startFleet({
      dataDir,
      env: { ...upstreamEnv(direct), ...env },
      single: options.single,
      report: (line) => process.stderr.write(`${line}\n`),
      signal,
    }),
  );
  const endpoint = endpointOf({ url: new URL(run.base_url), key: run.api_key, model: options.model });
  return { name: "gateway", endpoint, ...knownFrom(run), logDir: join(dataDir, "log") };
}
