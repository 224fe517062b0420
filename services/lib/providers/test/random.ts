/** Splits bytes into pieces of random sizes. */
export function cutAnywhere(bytes: Buffer, next: () => number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + Math.floor(next() * (next() < 0.5 ? 6 : 300));
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}
