import { LRUCache } from "lru-cache";

/**
 * How much more than its fair share a preferred replica may have under way before others are asked:
 * an eighth, and a few.
 */
const share = 1.125;
const slack = 2;
/** Addresses come and go with deployments: what is remembered of them is bounded. */
const maxAddresses = 1_000;

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}

/** Mixes two hashes so that each pair has a weight of its own (the finish of MurmurHash3). */
function weigh(a: number, b: number): number {
  let h = a ^ Math.imul(b, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A replica that can be chosen, and how many exchanges it has under way. */
export interface Candidate {
  readonly address: string;
  readonly outstanding: number;
}

/**
 * Rendezvous hashing with bounded load: what has the same affinity goes to the same replica as long
 * as that one has about its fair share, then to its second choice; undefined when both are too
 * busy. A replica that comes or goes moves no affinity but those that prefer it.
 */
export class Preference {
  readonly #hashes = new LRUCache<string, number>({ max: maxAddresses });

  choose<C extends Candidate>(affinity: string, candidates: readonly C[]): C | undefined {
    const key = hash(affinity);
    let [first, second]: [C | undefined, C | undefined] = [undefined, undefined];
    let [max, more] = [-1, -1];
    let total = 1;
    for (const candidate of candidates) {
      total += candidate.outstanding;
      const weight = weigh(key, this.#hashOf(candidate.address));
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
    const made = hash(address);
    this.#hashes.set(address, made);
    return made;
  }
}
