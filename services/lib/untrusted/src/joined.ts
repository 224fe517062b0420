import { nextTurn } from "@uag/runtime/next-turn";

/** Copied per turn of the event loop, which takes up to 3 ms. */
const turnBytes = 1024 * 1024;

/** Like `Buffer.concat`, but copies in turns of the event loop. One piece is returned itself. */
export async function joined(pieces: readonly Buffer[]): Promise<Buffer> {
  if (pieces.length === 1) return pieces[0] as Buffer;
  let size = 0;
  for (const { length } of pieces) size += length;
  const all = Buffer.allocUnsafeSlow(size);
  let copied = 0;
  let turnEnds = turnBytes;
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += turnBytes) {
      copied += piece.copy(all, copied, from, from + turnBytes);
      if (copied < turnEnds) continue;
      await nextTurn();
      turnEnds = copied + turnBytes;
    }
  }
  return all;
}
