/** A small seeded generator (mulberry32), so that a failure can be repeated. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Cuts bytes into pieces of random sizes. */
export function cutAnywhere(bytes: Buffer, next: () => number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + Math.floor(next() * (next() < 0.5 ? 6 : 300));
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}
