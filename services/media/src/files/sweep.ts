import type { Logger } from "@uag/runtime/log";

/** Removes what has expired in a store. */
interface Swept {
  sweep(): Promise<void>;
}

/**
 * Removes what has expired in a store until disposed. Every replica does, in any order and any number of
 * times.
 */
export function startSweeps(store: Swept, { everyMs, log }: { everyMs: number; log: Logger }): Disposable {
  let running = false;
  const timer = setInterval(() => {
    if (running) return;
    running = true;
    store
      .sweep()
      .catch((error: unknown) => log.warn({ err: error }, "removing expired files failed; retrying"))
      .finally(() => {
        running = false;
      });
  }, everyMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
