import { nextTurn } from "@uag/runtime/next-turn";
import { joined } from "@uag/untrusted/joined";

/** Decoded per turn of the event loop, about 2 ms; a multiple of four. */
const turnBytes = 1024 * 1024;

/** Decodes base64 in turns of the event loop. */
export async function decodedBase64(base64: Buffer): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < base64.length; at += turnBytes) {
    if (at > 0) await nextTurn();
    pieces.push(Buffer.from(base64.toString("latin1", at, at + turnBytes), "base64"));
  }
  return await joined(pieces);
}
