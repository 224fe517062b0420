import type { TaskDocument } from "../store/task.ts";

type Waiter = (task: TaskDocument) => void;

/**
 * Notifies waiting requests when their task reaches a terminal state: at once when that happens in
 * this process, and within `everyMs` when it does in another, by one query for all that wait.
 */
export class CompletionNotifier implements Disposable {
  readonly #waiting = new Map<string, Set<Waiter>>();
  readonly #ended: (ids: readonly string[]) => Promise<TaskDocument[]>;
  readonly #failed: (error: unknown) => void;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: {
    ended: (ids: readonly string[]) => Promise<TaskDocument[]>;
    failed: (error: unknown) => void;
    everyMs: number;
  }) {
    this.#ended = options.ended;
    this.#failed = options.failed;
    this.#everyMs = options.everyMs;
  }

  notify(task: TaskDocument): void {
    for (const waiter of [...(this.#waiting.get(task._id) ?? [])]) waiter(task);
  }

  /** Resolves with the ended task; undefined on timeout or when the signal aborts. */
  wait(
    id: string,
    { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
  ): Promise<TaskDocument | undefined> {
    return new Promise((resolve) => {
      const waiters = this.#waiting.get(id) ?? new Set<Waiter>();
      const done = (task?: TaskDocument): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", gaveUp);
        waiters.delete(done);
        if (waiters.size === 0) this.#waiting.delete(id);
        resolve(task);
      };
      const gaveUp = (): void => done();
      const timer = setTimeout(gaveUp, timeoutMs);
      signal.addEventListener("abort", gaveUp, { once: true });
      if (signal.aborted) return gaveUp();
      this.#waiting.set(id, waiters.add(done));
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#poll()
        .catch(this.#failed)
        .finally(() => {
          this.#timer = undefined;
          this.#schedule();
        });
    }, this.#everyMs).unref();
  }

  async #poll(): Promise<void> {
    for (const task of await this.#ended([...this.#waiting.keys()])) this.notify(task);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const waiters of this.#waiting.values()) for (const waiter of [...waiters]) (waiter as () => void)();
  }
}
