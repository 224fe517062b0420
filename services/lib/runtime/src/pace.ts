import { nextTurn } from "./next-turn.ts";

/** Longest part of a loop in one turn of the event loop, milliseconds. */
const turnMs = 8;

/**
 * Splits a long loop into turns of the event loop:
 *
 *     const pace = new Pace();
 *     for (const item of items) {
 *       work(item);
 *       if (pace.isOver) await pace.rest();
 *     }
 */
export class Pace {
  #startedAt = performance.now();

  /** True once this turn has taken long enough. */
  get isOver(): boolean {
    return performance.now() - this.#startedAt >= turnMs;
  }

  /** Lets everything else that waits run first. */
  async rest(): Promise<void> {
    await nextTurn();
    this.#startedAt = performance.now();
  }
}

/** Like `map`, in turns of the event loop. */
export async function mapInTurns<T, U>(items: readonly T[], map: (item: T) => U): Promise<U[]> {
  const pace = new Pace();
  const mapped: U[] = [];
  for (const item of items) {
    mapped.push(map(item));
    if (pace.isOver) await pace.rest();
  }
  return mapped;
}
