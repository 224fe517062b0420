import { randomBytes } from "node:crypto";
import { nextTurn } from "@uag/runtime/next-turn";
import { joined } from "../joined.ts";
import { longBytes } from "./long-strings.ts";

/** Strings longer than this, in characters, are encoded separately, as {@link longBytes} are parsed. */
const longChars = longBytes;
/** Characters encoded per turn of the event loop, which takes about 5 ms. */
const pieceChars = 1024 * 1024;

/**
 * The JSON of a value, in UTF-8. Long strings are encoded in pieces, one per turn of the event
 * loop; all at once they would block everything else.
 */
export async function encodeJson(value: object): Promise<Buffer> {
  if (!hasLongString(value)) return Buffer.from(JSON.stringify(value));
  // Unguessable from outside, so it occurs nowhere else.
  const mark = `${randomBytes(12).toString("hex")} `;
  const long: string[] = [];
  const text = JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === "string" && inner.length > longChars ? `${mark}${long.push(inner)}` : inner,
  );
  const pieces: Buffer[] = [];
  let [at, encoded] = [0, 0];
  for (const [index, string] of long.entries()) {
    const found = text.indexOf(`${mark}${index + 1}"`, at);
    pieces.push(Buffer.from(text.slice(at, found)));
    at = found + `${mark}${index + 1}`.length;
    for (const piece of piecesOf(string)) {
      pieces.push(Buffer.from(JSON.stringify(piece)).subarray(1, -1));
      encoded += piece.length;
      if (encoded < pieceChars) continue;
      await nextTurn();
      encoded = 0;
    }
  }
  pieces.push(Buffer.from(text.slice(at)));
  return await joined(pieces);
}

function* piecesOf(text: string): Generator<string, void, undefined> {
  for (let at = 0; at < text.length; ) {
    const end = cutAt(text, at + pieceChars);
    yield text.slice(at, end);
    at = end;
  }
}

/** Does not split a character. */
function cutAt(text: string, end: number): number {
  return end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end;
}

function hasLongString(value: unknown): boolean {
  if (typeof value === "string") return value.length > longChars;
  if (typeof value !== "object" || value === null) return false;
  return (Array.isArray(value) ? value : Object.values(value)).some(hasLongString);
}
