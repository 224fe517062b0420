import { unusableResponse } from "../../failure.ts";
import type { RawVector } from "../types.ts";

const quote = 34;
const equals = 61;
const comma = 44;
const bytesPerFloat = 4;
/** Bytes in a JSON list of finite numbers: `+-.0-9eE`, `,` and white space. */
const inNumbers = new Uint8Array(256);
for (const byte of Buffer.from("+-.0123456789eE, \t\r\n")) inNumbers[byte] = 1;

/**
 * The number of floats in a vector, without parsing it.
 * @throws {UpstreamFailure} when its bytes are not a list of numbers, or not whole floats
 */
export function floatsIn({ body, start, end }: RawVector): number {
  return body[start] === quote ? encodedFloats(body, start + 1, end - 1) : writtenFloats(body, start + 1, end - 1);
}

function encodedFloats(body: Buffer, start: number, end: number): number {
  let last = end;
  while (last > start && body[last - 1] === equals) last--;
  const floats = Math.floor(((last - start) * 3) / 4) / bytesPerFloat;
  if (!Number.isInteger(floats)) throw unusableResponse("a vector in the upstream's response is truncated");
  return floats;
}

function writtenFloats(body: Buffer, start: number, end: number): number {
  let commas = 0;
  let blank = true;
  for (let at = start; at < end; at++) {
    const byte = body[at] as number;
    if (inNumbers[byte] === 0)
      throw unusableResponse("a vector in the upstream's response has a value that is not a number");
    if (byte === comma) commas++;
    else if (byte > 32) blank = false;
  }
  return blank ? 0 : commas + 1;
}
