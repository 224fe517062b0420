/** A prefix of a prompt: its digest, and the number of tokens in it. */
export interface Prefix {
  readonly digest: string;
  readonly tokens: number;
}

/**
 * A prompt cache in memory that evicts the least recently written entry. Prefixes of different
 * owners must have different digests.
 */
export interface PrefixCache {
  /**
   * Tokens of the longest cached prefix, of those listed from short to long; 0 when none is cached.
   */
  match(prefixes: readonly Prefix[]): number;
  remember(prefixes: readonly Prefix[], lifeMs: number): void;
}

const capacity = 100_000;

/** Creates an empty cache. `now` returns milliseconds. */
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
