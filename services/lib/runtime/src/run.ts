import { ConfigError } from "./config.ts";

/** A running process: ready when its start resolves, gone when disposed. */
export interface Service extends AsyncDisposable {
  /** How long stopping waits for requests in flight, milliseconds; absent when there are none. */
  readonly drainMs?: number;
}

/** Additional time to stop: usage must reach metering, connections must be closed. */
const stopTimeoutMs = 30_000;

/**
 * Starts a service and runs it until SIGTERM or SIGINT, then disposes it and exits with 0. A failed
 * start or an uncaught error exits with 1 and one line with the reason: the supervisor restarts the
 * process.
 */
export async function run(start: () => Promise<Service>): Promise<void> {
  const fail = (error: unknown): never => {
    process.stderr.write(`${error instanceof ConfigError ? error.message : stackOf(error)}\n`);
    process.exit(1);
  };
  // Files that a service writes, above all its journal, are private to its user.
  process.umask(0o077);
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);
  const service = await start().catch(fail);
  freeStartMemory();
  const stop = async (): Promise<void> => {
    const limitMs = (service.drainMs ?? 0) + stopTimeoutMs;
    setTimeout(() => fail(new Error(`did not stop within ${limitMs} ms`)), limitMs).unref();
    await service[Symbol.asyncDispose]();
    process.exit(0);
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

/**
 * Collects what the start left behind, in 20 to 50 ms, if Node runs with `--expose-gc`: V8 does not,
 * in a process that allocates little afterwards, and an idle service would keep some 30 MiB of it. The
 * function must come from that option: taken from a new context, it left all code a third slower
 * (infra/decisions/0004-speed.md).
 */
function freeStartMemory(): void {
  globalThis.gc?.();
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
