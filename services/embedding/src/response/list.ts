import type { ReadyVectors } from "./ready.ts";

const listEnd = Buffer.from("}]");

/** Up to this many vectors are written at once, so that the response has a length. */
const maxWrittenAtOnce = 32;

/** How a client format writes a list of vectors. */
export interface ListText {
  /** The text before the list. */
  readonly opening: Buffer;
  /** The text before a vector, from the list's bracket or from the end of the previous item. */
  beginningOf(index: number): Buffer;
  /** The text after the list. */
  readonly closing: Buffer;
}

/**
 * Builds a response body in pieces: upstream bytes are passed on without copying, and the vectors
 * of a long response are written one by one as it is sent.
 * @param parts in the order of the inputs
 */
export function vectorList(parts: readonly ReadyVectors[], text: ListText): readonly Buffer[] | Iterable<Buffer> {
  const whole = parts.length === 1 ? parts[0]?.list : undefined;
  if (whole !== undefined) return [text.opening, whole, text.closing];
  let converted = 0;
  for (const { values } of parts) for (const value of values) if (typeof value === "function") converted++;
  const pieces = itemPieces(parts, text);
  return converted <= maxWrittenAtOnce ? [...pieces] : pieces;
}

function* itemPieces(parts: readonly ReadyVectors[], text: ListText): Generator<Buffer, void, undefined> {
  yield text.opening;
  let index = 0;
  for (const { values } of parts) {
    for (const value of values) {
      yield text.beginningOf(index++);
      yield typeof value === "function" ? value() : value;
    }
  }
  yield listEnd;
  yield text.closing;
}
