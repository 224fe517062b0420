import { ConfigError } from "./config.ts";

/** A running process: ready when its start resolved, gone when disposed. */
export type Service = AsyncDisposable;

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
    setTimeout(() => fail(new Error(`did not stop within ${stopTimeoutMs} ms`)), stopTimeoutMs).unref();
    await service[Symbol.asyncDispose]();
    process.exit(0);
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
