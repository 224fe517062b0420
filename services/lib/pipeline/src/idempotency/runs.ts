import { setTimeout as sleep } from "node:timers/promises";
import type { Run } from "./run.ts";

/** How long stopping waits for pending writes. */
const stopMs = 5_000;

/** This process's open runs under idempotency keys. */
export class Runs implements AsyncDisposable {
  readonly #runs = new Set<Run>();

  add(run: Run): void {
    this.#runs.add(run);
    void run.over.then(() => this.#runs.delete(run));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const runs = [...this.#runs];
    const stopping = new AbortController();
    const late = sleep(stopMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    await Promise.race([Promise.all(runs.map(({ over }) => over)), late]);
    stopping.abort();
    for (const run of runs) run[Symbol.dispose]();
  }
}
