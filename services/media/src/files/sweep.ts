import type { Logger } from "@uag/runtime/log";
import type { FileStore } from "./file-store.ts";

/**
 * Removes files that have expired until disposed. Every replica does, in any order and any number of
 * times.
 */
export function sweepFiles(files: FileStore, { everyMs, log }: { everyMs: number; log: Logger }): Disposable {
  let running = false;
  const timer = setInterval(() => {
    if (running) return;
    running = true;
    files
      .sweep()
      .catch((error: unknown) => log.warn({ err: error }, "removing expired files failed; retrying"))
      .finally(() => {
        running = false;
      });
  }, everyMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
