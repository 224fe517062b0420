/** A prefix of a prompt: its digest, and the tokens up to its end. */
export interface Prefix {
  readonly digest: string;
  readonly tokens: number;
}

/**
 * A prompt cache in memory, least recently written first out. Prefixes of different owners must
 * differ in digest.
 */
export interface PrefixCache {
  /**
   * Tokens of the longest of these prefixes, listed from short to long, that is remembered; 0 when
   * none is.
   */
  match(prefixes: readonly Prefix[]): number;
  remember(prefixes: readonly Prefix[], lifeMs: number): void;
}

const capacity = 100_000;

/** An empty cache. `now` gives milliseconds. */
export function createPrefixCache(now: () => number): PrefixCache {
  const expiries = new Map<string, number>();
  return {
    match: (prefixes) => prefixes.findLast(({ digest }) => (expiries.get(digest) ?? 0) > now())?.tokens ?? 0,
    remember(prefixes, lifeMs) {
      for (const { digest } of prefixes) {
        expiries.delete(digest);
        expiries.set(digest, now() + lifeMs);
      }
      for (const oldest of expiries.keys()) {
        if (expiries.size <= capacity) break;
        expiries.delete(oldest);
      }
    },
  };
}
