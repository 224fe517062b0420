/** A prefix of a prompt: its digest, and the tokens up to its end. Listed from short to long. */
export type Prefix = { readonly digest: string; readonly tokens: number };

export type PrefixCache = {
  /**
   * Tokens of the longest of these prefixes that was seen in the last `ttlMs`, 0 when none was; then remembers all.
   * Prefixes of different owners (provider, key, model) must differ in digest.
   */
  matchAndRemember(prefixes: readonly Prefix[], ttlMs: number): number;
};

const capacity = 100_000;

/** A prompt cache in memory, least recently used first out. `now` gives milliseconds. */
export function createPrefixCache(now: () => number): PrefixCache {
  const expiries = new Map<string, number>();
  return {
    matchAndRemember(prefixes, ttlMs) {
      let matched = 0;
      for (const prefix of prefixes) {
        if ((expiries.get(prefix.digest) ?? 0) > now()) matched = prefix.tokens;
      }
      for (const prefix of prefixes) {
        expiries.delete(prefix.digest);
        expiries.set(prefix.digest, now() + ttlMs);
      }
      for (const oldest of expiries.keys()) {
        if (expiries.size <= capacity) break;
        expiries.delete(oldest);
      }
      return matched;
    },
  };
}
