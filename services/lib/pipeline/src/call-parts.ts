/**
 * How long calls in flight may finish after another one failed, since their upstreams charge for
 * them.
 */
const graceMs = 800;

/** The outcome of a request's parts. */
export interface PartResults<T> {
  /** Indexed like the parts; undefined where there is no response. */
  readonly responses: readonly (T | undefined)[];
  /** The first failure of any part. */
  readonly failure: { readonly thrown: unknown } | undefined;
}

/**
 * Processes parts with bounded concurrency. After a failure no further part is started; those in
 * flight get a short grace period, because an upstream charges for every response, and are then
 * aborted.
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
