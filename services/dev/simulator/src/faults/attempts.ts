import { LRUCache } from "lru-cache";
import type { Faults } from "./catalogue.ts";
import { hostileFaults } from "./hostile.ts";

const remembered = 100_000;

/** Counts the attempts of equal requests, on which the faults `times` and `hostile` depend. */
export class AttemptCounter {
  readonly #seen = new LRUCache<string, number>({ max: remembered });

  /** The faults of this attempt: all, or none after `times` attempts; in hostile mode more of them. */
  faultsOf(faults: Faults, digest: string): Faults {
    const { times, hostile } = faults;
    if (times === undefined && hostile === undefined) return faults;
    const before = this.#seen.get(digest) ?? 0;
    this.#seen.set(digest, before + 1);
    if (times !== undefined && before >= times) return {};
    return hostile === undefined ? faults : { ...faults, ...hostileFaults(hostile, digest, before) };
  }
}
