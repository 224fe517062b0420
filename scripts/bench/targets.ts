import { readFile } from "node:fs/promises";
import type { Ready } from "./child.ts";
import type { BenchOptions } from "./options.ts";
import type { ProcessTable } from "./proc.ts";
import { Process } from "./processes.ts";
import type { Endpoint } from "./request.ts";

export type TargetName = "direct" | "baseline" | "gateway";

/** Something to measure: where it answers, and which processes it consists of. */
export interface Target {
  readonly name: TargetName;
  readonly endpoint: Endpoint;
  /** Empty when they are not known: then only times are measured. */
  readonly processes: ProcessTable;
}

/** Database and message servers: the operator's own in production, so their cost is shown apart. */
export const engineNames: ReadonlySet<string> = new Set(["mongod", "nats-server", "nats", "mongodb"]);

const benchKey = "bench";
const startMs = 10_000;

export interface Started {
  readonly stack: AsyncDisposableStack;
  readonly signal: AbortSignal;
  readonly options: BenchOptions;
}

/** The upstream itself: what the others' latency is compared with. */
export async function startUpstream({ stack, signal, options }: Started): Promise<Target> {
  const upstream = stack.use(Process.start({ name: "upstream", args: [String(options.upstreamPort)] }));
  const { port } = await upstream.next({ choose: readyMessage, timeoutMs: startMs, signal });
  return { name: "direct", endpoint: endpointAt(port, options.model), processes: new Map() };
}

export async function startBaseline({ stack, signal, options }: Started, direct: Target): Promise<Target> {
  const origin = `http://${direct.endpoint.host}:${direct.endpoint.port}`;
  const baseline = stack.use(Process.start({ name: "baseline", args: [origin, benchKey] }));
  const { port } = await baseline.next({ choose: readyMessage, timeoutMs: startMs, signal });
  return { name: "baseline", endpoint: endpointAt(port, options.model), processes: new Map([["proxy", baseline.pid]]) };
}

/** A gateway that somebody else started. */
export async function findRunning(options: BenchOptions): Promise<Target | undefined> {
  const { running } = options;
  if (running === undefined) return undefined;
  const { url, key, pidFile } = running;
  const path = url.pathname.replace(/\/$/, "");
  const endpoint = {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || 80),
    basePath: path === "" ? "/v1" : path,
    key,
    model: options.model,
  };
  return { name: "gateway", endpoint, processes: pidFile === undefined ? new Map() : await readPids(pidFile) };
}

async function readPids(file: string): Promise<ProcessTable> {
  const { pids } = JSON.parse(await readFile(file, "utf8")) as { pids?: Record<string, number> };
  if (pids === undefined) throw new Error(`${file} has no "pids"`);
  return new Map(Object.entries(pids));
}

function endpointAt(port: number, model: string): Endpoint {
  return { host: "127.0.0.1", port, basePath: "/v1", key: benchKey, model };
}

function readyMessage(message: unknown): Ready | undefined {
  return typeof message === "object" && message !== null && "port" in message ? (message as Ready) : undefined;
}
