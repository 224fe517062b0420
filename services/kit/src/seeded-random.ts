/** A seeded generator (mulberry32), so that a failing run can be had again. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, not including, `limit`. */
  int(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * limit);
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

/** Seeds for a randomised test: the one in `TEST_SEED`, or `count` new ones. */
export function seeds(count: number): number[] {
  const wanted = process.env["TEST_SEED"];
  if (wanted !== undefined) return [Number(wanted)];
  return Array.from({ length: count }, () => Math.floor(Math.random() * 2 ** 32));
}
