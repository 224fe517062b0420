/**
 * An exponentially distributed number, the same for the same two numbers of 32 bits: of several,
 * each divided by a weight, one is the least in proportion to its weight (Schindelhauer and
 * Schomaker, "Weighted Distributed Hash Tables", 2005).
 */
export function scoreOf(affinity: number, seed: number): number {
  return -Math.log((mixed(affinity ^ seed) + 0.5) / 2 ** 32);
}

/** Orders seeds of equal weights as {@link scoreOf} does, without its logarithm. */
export const evenScoreOf = (affinity: number, seed: number): number => -mixed(affinity ^ seed);

/** The finalizer of MurmurHash3: every bit of the input changes every bit of the result. */
function mixed(bits: number): number {
  let hash = bits;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** For a request that belongs to no conversation. @param random a number in [0, 1) */
export const randomAffinity = (random: () => number = Math.random): number => Math.floor(random() * 2 ** 32);
