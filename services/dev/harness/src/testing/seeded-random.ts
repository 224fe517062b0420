/**
 * Pseudo-random numbers in [0, 1) from a seed (mulberry32), so that a failing run can be repeated.
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Pseudo-random integers from 0 up to, not including, the argument, from a seed. */
export function seededInt(seed: number): (below: number) => number {
  const next = seededRandom(seed);
  return (below) => Math.floor(next() * below);
}

/** Pseudo-random values of several kinds, drawn from `seededRandom`. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  /** From 0 up to, not including, `limit`. */
  int(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  chance(probability: number): boolean {
    return this.int(1_000_000) < probability * 1_000_000;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(items.length)] as T;
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let i = 0; i < length; i++) bytes[i] = this.int(256);
    return bytes;
  }
}

/** Seeds for a randomized test: the one in `TEST_SEED`, or `count` new ones. */
export function seeds(count: number): number[] {
  const wanted = process.env["TEST_SEED"];
  if (wanted !== undefined) return [Number(wanted)];
  return Array.from({ length: count }, () => Math.floor(Math.random() * 2 ** 32));
}
