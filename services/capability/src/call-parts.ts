/**
 * How long calls that were under way when another failed may still bring in what their upstream
 * charges for.
 */
const graceMs = 800;

/** What became of the parts of a request. */
export interface PartResults<T> {
  /** By the place of the part; undefined where it was not answered. */
  readonly responses: readonly (T | undefined)[];
  /** What the first part that failed failed with. */
  readonly failure: { readonly thrown: unknown } | undefined;
}

/**
 * Works on parts, a few at a time. After a failure no part is begun; those under way get a moment
 * to finish, because what an upstream answers it charges for, and are then given up.
 */
export async function callParts<P, T>(
  parts: readonly P[],
  options: { atOnce: number; signal: AbortSignal; call(part: P, signal: AbortSignal): Promise<T> },
): Promise<PartResults<T>> {
  const responses = new Array<T | undefined>(parts.length).fill(undefined);
  const giveUp = new AbortController();
  const signal = parts.length === 1 ? options.signal : AbortSignal.any([options.signal, giveUp.signal]);
  let failure: PartResults<T>["failure"];
  let grace: NodeJS.Timeout | undefined;
  let next = 0;
  const work = async (): Promise<void> => {
    while (failure === undefined && next < parts.length) {
      const place = next++;
      try {
        responses[place] = await options.call(parts[place] as P, signal);
      } catch (thrown) {
        failure ??= { thrown };
        grace ??= setTimeout(() => giveUp.abort(), graceMs);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.atOnce, parts.length) }, work));
  clearTimeout(grace);
  return { responses, failure };
}
