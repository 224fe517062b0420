/** Runs `work` once all earlier work on any of the same grants has ended. */
export type GrantTurns = <T>(grantIds: Iterable<string>, work: () => Promise<T>) => Promise<T>;

/**
 * Returns, closes and settles of one grant all write its row. Within this process they take turns,
 * because of two transactions at once one would lose and be repeated. Nothing waits in a circle:
 * each takes its place in all queues at the same moment.
 */
export function createGrantTurns(): GrantTurns {
  /** The end of the last work on each grant. */
  const last = new Map<string, Promise<unknown>>();
  return async (grantIds, work) => {
    const ids = new Set(grantIds);
    const earlier = [...ids].flatMap((id) => last.get(id) ?? []);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    for (const id of ids) last.set(id, ended);
    try {
      await Promise.all(earlier);
      return await work();
    } finally {
      for (const id of ids) if (last.get(id) === ended) last.delete(id);
      end();
    }
  };
}
