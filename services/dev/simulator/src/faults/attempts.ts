import { LRUCache } from "lru-cache";
import type { Faults } from "./catalogue.ts";

const remembered = 100_000;

/**
 * Counts the attempts of equal requests, which the `times` fault uses to limit the other faults.
 */
export class AttemptCounter {
  readonly #seen = new LRUCache<string, number>({ max: remembered });

  /** The faults of this attempt: all, or none after `times` attempts. */
  limit(faults: Faults, digest: string): Faults {
    if (faults.times === undefined) return faults;
    const before = this.#seen.get(digest) ?? 0;
    this.#seen.set(digest, before + 1);
    return before < faults.times ? faults : {};
  }
}
