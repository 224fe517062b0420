/**
 * Rendezvous hashing (highest random weight): of several nodes, a key belongs to the one with which
 * it has the highest weight. A node that comes or goes moves only the keys that prefer it.
 * https://en.wikipedia.org/wiki/Rendezvous_hashing
 */

/** FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
export function hashOf(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}

/**
 * Mixes the hashes of a key and a node, so that each pair has a weight of its own (the finalizer of
 * MurmurHash3).
 */
export function weightOf(key: number, node: number): number {
  let h = key ^ Math.imul(node, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
