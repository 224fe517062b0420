const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const COMMA = 44;

/** Longest text of a 32-bit float: sign, nine digits, a point, leading zeros or an exponent. */
const longest = 18;
/** Values between these are written without an exponent by the quick way; embeddings hardly know others. */
const least = 1e-6;
const most = 1e7;

const floatBits = new Float32Array(1);
const bits = new Uint32Array(floatBits.buffer);

/** 10^k and 10^-k at index k. */
const powers = Array.from({ length: 16 }, (_, exponent) => Number(`1e${exponent}`));
const tenths = Array.from({ length: 16 }, (_, exponent) => Number(`1e-${exponent}`));

/**
 * A vector as a JSON list. Each number is the shortest decimal that reads back as the same 32-bit float.
 * @throws {RangeError} for what JSON has no number for
 */
export function formatFloats(floats: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(2 + floats.length * (longest + 1));
  bytes[0] = 91;
  let at = 1;
  for (let i = 0; i < floats.length; i++) {
    if (i > 0) bytes[at++] = COMMA;
    at = writeFloat(bytes, at, floats[i] as number);
  }
  bytes[at++] = 93;
  return bytes.subarray(0, at);
}

function writeFloat(bytes: Buffer, start: number, float: number): number {
  let at = start;
  let value = float;
  if (value < 0) {
    bytes[at++] = MINUS;
    value = -value;
  }
  if (!(value >= least && value < most)) return writeRare(bytes, at, value);
  // What rounds to this float lies between the middles to its neighbours, which doubles hold exactly.
  floatBits[0] = value;
  const pattern = bits[0] as number;
  bits[0] = pattern + 1;
  const above = (floatBits[0] as number) - value;
  bits[0] = pattern - 1;
  const below = value - (floatBits[0] as number);
  let places = decimalPlaces(value);
  const scale = powers[places] as number;
  const scaled = value * scale;
  // A hair inside the bounds, so that the rounding of `scaled` cannot carry a choice over them.
  const high = scaled + above * scale * 0.499999;
  const low = scaled - below * scale * 0.499999;
  let digits = Math.round(scaled);
  for (let step = 10; step <= 1e8; step *= 10) {
    const shorter = Math.round(scaled / step) * step;
    if (shorter > high || shorter < low) break;
    digits = shorter;
  }
  while (places > 0 && digits % 10 === 0) {
    digits /= 10;
    places--;
  }
  return writeDigits(bytes, at, digits, places);
}

/** Decimal places that leave nine significant digits: as many as any 32-bit float needs. */
function decimalPlaces(value: number): number {
  let places = 8;
  if (value >= 1) while (value >= (powers[9 - places] as number)) places--;
  else while (value < (tenths[places - 8] as number)) places++;
  return places;
}

/** `digits` (at most nine) with a point before the last `places` of them. */
function writeDigits(bytes: Buffer, start: number, digits: number, places: number): number {
  if (places === 0) return writeWhole(bytes, start, digits);
  const power = powers[places] as number;
  const whole = places > 9 ? 0 : Math.floor(digits / power);
  const point = writeWhole(bytes, start, whole);
  bytes[point] = POINT;
  const end = point + 1 + places;
  let left = (digits - whole * power) | 0;
  for (let at = end - 1; at > point; at--) {
    const next = (left / 10) | 0;
    bytes[at] = ZERO + left - next * 10;
    left = next;
  }
  return end;
}

function writeWhole(bytes: Buffer, start: number, whole: number): number {
  let length = 1;
  for (let bound = 10; whole >= bound; bound *= 10) length++;
  let left = whole | 0;
  for (let at = start + length - 1; at >= start; at--) {
    const next = (left / 10) | 0;
    bytes[at] = ZERO + left - next * 10;
    left = next;
  }
  return start + length;
}

/** Zero, and what is very small or very large. */
function writeRare(bytes: Buffer, at: number, value: number): number {
  if (!Number.isFinite(value)) throw new RangeError("a vector has a number that JSON cannot hold");
  let text = String(value);
  for (let digits = 1; digits <= 9; digits++) {
    text = String(Number(value.toPrecision(digits)));
    if (Math.fround(Number(text)) === value) break;
  }
  return at + bytes.write(text, at, "latin1");
}
