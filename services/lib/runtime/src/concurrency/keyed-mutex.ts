/**
 * Runs tasks that share a key one after another, in arrival order. A task with several keys joins
 * all of their queues at the same moment, so no tasks wait for each other in a circle.
 */
export class KeyedMutex {
  /** The end of the last task of each key. */
  readonly #last = new Map<string, Promise<unknown>>();

  async runExclusive<T>(keys: Iterable<string>, task: () => Promise<T>): Promise<T> {
    const last = this.#last;
    const ids = new Set(keys);
    const earlier = [...ids].flatMap((id) => last.get(id) ?? []);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    for (const id of ids) last.set(id, ended);
    try {
      await Promise.all(earlier);
      return await task();
    } finally {
      for (const id of ids) if (last.get(id) === ended) last.delete(id);
      end();
    }
  }
}
