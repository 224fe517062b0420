import { setTimeout as sleep } from "node:timers/promises";

/** Repeats work until it succeeds. @throws its last error once the time is over */
export async function eventually<T>(work: () => Promise<T>, timeoutMs: number): Promise<T> {
  for (const deadline = performance.now() + timeoutMs; ; await sleep(500)) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
  }
}
