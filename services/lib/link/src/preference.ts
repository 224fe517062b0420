import { hashOf, weightOf } from "@uag/runtime/rendezvous";
import { LRUCache } from "lru-cache";

/**
 * How far a preferred replica may exceed its fair share of exchanges in flight before others are
 * tried: by an eighth, and a few.
 */
const share = 1.125;
const slack = 2;
/** Addresses change with deployments, so the cache of their hashes is bounded. */
const maxAddresses = 1_000;

/** A replica that can be chosen, and its number of exchanges in flight. */
export interface Candidate {
  readonly address: string;
  readonly outstanding: number;
}

/**
 * Rendezvous hashing with bounded load: one affinity goes to one replica as long as that has about
 * its fair share, then to its second choice; undefined when both are too busy. A replica that comes
 * or goes moves only the affinities that prefer it.
 */
export class Preference {
  readonly #hashes = new LRUCache<string, number>({ max: maxAddresses });

  choose<C extends Candidate>(affinity: string, candidates: readonly C[]): C | undefined {
    const key = hashOf(affinity);
    let [first, second]: [C | undefined, C | undefined] = [undefined, undefined];
    let [max, more] = [-1, -1];
    let total = 1;
    for (const candidate of candidates) {
      total += candidate.outstanding;
      const weight = weightOf(key, this.#hashOf(candidate.address));
      if (weight > max) {
        [second, more] = [first, max];
        [first, max] = [candidate, weight];
      } else if (weight > more) [second, more] = [candidate, weight];
    }
    const bound = (share * total) / candidates.length + slack;
    if (first !== undefined && first.outstanding < bound) return first;
    return second !== undefined && second.outstanding < bound ? second : undefined;
  }

  #hashOf(address: string): number {
    const known = this.#hashes.get(address);
    if (known !== undefined) return known;
    const made = hashOf(address);
    this.#hashes.set(address, made);
    return made;
  }
}
