const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
const COMMA = 44;
const BIG_E = 69;
const SMALL_E = 101;

/** Powers of ten that a double holds exactly. */
const powers = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);
/** More digits than this are cut off: what they change is far below a 32-bit float's last bit. */
const keptDigits = 15;
/** How far the quick reading may be from the exact one, relatively: a cut digit and a rounded division. */
const slack = 2e-15;

/**
 * Reads a JSON list of numbers as 32-bit floats, each rounded to the nearest one.
 * @param range the list with its brackets
 * @throws {SyntaxError} when it is not a flat list of numbers
 */
export function parseFloats(body: Buffer, range: { readonly start: number; readonly end: number }): Float32Array {
  const { start, end } = range;
  // A number takes two bytes at least: a digit and what separates it from the next.
  const floats = new Float32Array((end - start) >> 1);
  let count = 0;
  let at = start + 1;
  const last = end - 1;
  while (at < last) {
    while (at < last && (body[at] as number) <= 32) at++;
    if (at === last && count === 0) break;
    const from = at;
    at = numberEnd(body, at, last);
    floats[count++] = quickFloat(body, from, at) ?? exactFloat(body, from, at);
    while (at < last && (body[at] as number) <= 32) at++;
    if (at === last) break;
    if (body[at] !== COMMA || at + 1 === last) throw new SyntaxError("a vector is no list of numbers");
    at++;
  }
  return floats.subarray(0, count);
}

function numberEnd(body: Buffer, from: number, last: number): number {
  let at = from;
  while (at < last) {
    const byte = body[at] as number;
    if (byte === COMMA || byte <= 32) break;
    at++;
  }
  return at;
}

/** By Clinger's fast path, where that is sure to give the nearest 32-bit float; else undefined. */
function quickFloat(body: Buffer, from: number, to: number): number | undefined {
  let at = from;
  const negative = body[at] === MINUS;
  if (negative) at++;
  let digits = 0;
  let mantissa = 0;
  let scale = 0;
  let point = false;
  let cut = false;
  for (; at < to; at++) {
    const byte = body[at] as number;
    if (byte >= ZERO && byte <= NINE) {
      if (digits < keptDigits) {
        mantissa = mantissa * 10 + (byte - ZERO);
        if (mantissa !== 0) digits++;
        if (point) scale--;
      } else {
        cut = true;
        if (!point) return undefined;
      }
    } else if (byte === POINT && !point) point = true;
    else break;
  }
  if (at < to) {
    const exponent = exponentIn(body, at, to);
    if (exponent === undefined) return undefined;
    scale += exponent;
  }
  if (digits === 0 || scale > 0 || scale < -22) return undefined;
  const value = mantissa / (powers[-scale] as number);
  const float = Math.fround(value);
  if (cut && (Math.fround(value * (1 - slack)) !== float || Math.fround(value * (1 + slack)) !== float)) return undefined;
  return negative ? -float : float;
}

/** The value of `e-05` and the like; undefined for anything else. */
function exponentIn(body: Buffer, from: number, to: number): number | undefined {
  let at = from;
  if (body[at] !== SMALL_E && body[at] !== BIG_E) return undefined;
  at++;
  if (body[at] !== MINUS) return undefined;
  at++;
  let exponent = 0;
  if (at === to || to - at > 3) return undefined;
  for (; at < to; at++) {
    const byte = body[at] as number;
    if (byte < ZERO || byte > NINE) return undefined;
    exponent = exponent * 10 + (byte - ZERO);
  }
  return -exponent;
}

function exactFloat(body: Buffer, from: number, to: number): number {
  const text = body.latin1Slice(from, to);
  if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) throw new SyntaxError("a vector has something that is no number");
  return Number(text);
}
