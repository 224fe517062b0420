import { ConfigError } from "./config.ts";

/** A running process: ready when its start resolved, gone when disposed. */
export interface Service extends AsyncDisposable {
  /** How long stopping waits for what is under way, milliseconds; nothing when there is none. */
  readonly drainMs?: number;
}

/** What stopping may take besides: usage has to reach metering, connections have to be closed. */
const stopTimeoutMs = 30_000;

/**
 * Starts a service and keeps it until SIGTERM or SIGINT, then disposes of it and exits with 0. A
 * start that fails or an error that nobody caught ends the process with 1 and one line saying why:
 * the supervisor starts it anew.
 */
export async function run(start: () => Promise<Service>): Promise<void> {
  const fail = (error: unknown): never => {
    process.stderr.write(`${error instanceof ConfigError ? error.message : stackOf(error)}\n`);
    process.exit(1);
  };
  // What a service writes, its journal above all, is for its own user alone.
  process.umask(0o077);
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);
  const service = await start().catch(fail);
  const stop = async (): Promise<void> => {
    const limitMs = (service.drainMs ?? 0) + stopTimeoutMs;
    setTimeout(() => fail(new Error(`did not stop within ${limitMs} ms`)), limitMs).unref();
    await service[Symbol.asyncDispose]();
    process.exit(0);
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
