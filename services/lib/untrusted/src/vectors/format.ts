const minus = 45;
const decimalPoint = 46;
const zero = 48;
const comma = 44;
const openBracket = 91;
const closeBracket = 93;

/** Longest text of a 32-bit float: sign, nine digits, a point, leading zeros or an exponent. */
const maxChars = 18;
/** Values between these use the fast path; embeddings rarely have others. */
const minFast = 1e-6;
const maxFast = 1e7;

/** 10^k at index k. */
const powers = Array.from({ length: 16 }, (_, exponent) => Number(`1e${exponent}`));

/** The value shared by all floats of one binary exponent, indexed by the exponent's bits. */
const halfSteps = new Float64Array(256);
/** Decimal places that leave nine significant digits, enough for any 32-bit float... */
const ninePlaces = new Uint8Array(256);
/** ...for values below this; from here on one place fewer. */
const turns = new Float64Array(256);
for (let bits = 1; bits < 255; bits++) {
  const low = 2 ** (bits - 127);
  if (low * 2 <= minFast || low >= maxFast) continue;
  const decimal = Math.floor(Math.log10(low));
  halfSteps[bits] = low * 2 ** -24;
  ninePlaces[bits] = 8 - decimal;
  turns[bits] = Number(`1e${decimal + 1}`);
}

/** Four digits as one little-endian word. */
const fourDigits = Uint32Array.from({ length: 10_000 }, (_, value) =>
  Buffer.from(String(value).padStart(4, "0"), "latin1").readUInt32LE(0),
);

/**
 * Vectors are written one after another into pages: a few large buffers cost less than one per
 * vector.
 */
const pageBytes = 256 * 1024;
let page = Buffer.alloc(0);
let pageView = new DataView(page.buffer);
let written = 0;

const exponentMask = 0x7f800000;

/** @throws {RangeError} for numbers that JSON cannot represent: infinities and NaN */
export function checkFinite(floats: Float32Array): void {
  const patterns = new Uint32Array(floats.buffer, floats.byteOffset, floats.length);
  for (const pattern of patterns) {
    if ((pattern & exponentMask) === exponentMask) throw new RangeError("a vector has a number that JSON cannot hold");
  }
}

/**
 * A vector of finite numbers as a JSON list. Each number is the shortest decimal that parses to the
 * same 32-bit float.
 */
export function formatFloats(floats: Float32Array): Buffer {
  const size = 2 + floats.length * (maxChars + 1);
  if (page.length - written < size) {
    page = Buffer.allocUnsafeSlow(Math.max(pageBytes, size));
    pageView = new DataView(page.buffer);
    written = 0;
  }
  const [bytes, view, start] = [page, pageView, written];
  const patterns = new Uint32Array(floats.buffer, floats.byteOffset, floats.length);
  bytes[start] = openBracket;
  let at = start + 1;
  for (let i = 0; i < floats.length; i++) {
    if (i > 0) bytes[at++] = comma;
    let value = floats[i] as number;
    if (value < 0) {
      bytes[at++] = minus;
      value = -value;
    }
    const usual = value >= minFast && value < maxFast;
    at = usual ? writeUsual(view, at, value, patterns[i] as number) : writeRare(bytes, at, value);
  }
  bytes[at++] = closeBracket;
  written = at;
  return bytes.subarray(start, at);
}

function writeUsual(view: DataView, at: number, value: number, pattern: number): number {
  const exponent = (pattern >>> 23) & 0xff;
  let places = ninePlaces[exponent] as number;
  if (value >= (turns[exponent] as number)) places--;
  const scale = powers[places] as number;
  const scaled = value * scale;
  // Decimals that round to this float lie within half a step, or a quarter below a power of two.
  // Slightly less, so that the rounding of `scaled` cannot push a choice over the bound.
  const above = (halfSteps[exponent] as number) * scale * 0.999999;
  const below = (pattern & 0x7fffff) === 0 ? above / 2 : above;
  let digits = (scaled + 0.5) | 0;
  let step = 1;
  for (let longer = 10; longer <= 1e8; longer *= 10) {
    const shorter = (scaled / longer + 0.5) | 0;
    const off = shorter * longer - scaled;
    if (off > above || -off > below) break;
    digits = shorter;
    step = longer;
    places--;
  }
  if (places > 0) return writeFraction(view, at, digits, places);
  return writeWhole(view, at, places === 0 ? digits : Math.round((digits * step) / scale));
}

/** Writes `digits` (below 2^30) with a point before the last `places` of them. */
function writeFraction(view: DataView, start: number, digits: number, places: number): number {
  let whole = 0;
  let rest = digits;
  if (places < 10) {
    const power = powers[places] as number;
    whole = (digits / power) | 0;
    rest = digits - whole * power;
  }
  const point = whole === 0 ? start + 1 : writeWhole(view, start, whole);
  if (whole === 0) view.setUint8(start, zero);
  view.setUint8(point, decimalPoint);
  const end = point + 1 + places;
  let at = end;
  for (; at - 4 > point; at -= 4) {
    const next = (rest / 10_000) | 0;
    view.setUint32(at - 4, fourDigits[rest - next * 10_000] as number, true);
    rest = next;
  }
  for (at--; at > point; at--) {
    const next = (rest / 10) | 0;
    view.setUint8(at, zero + rest - next * 10);
    rest = next;
  }
  return end;
}

function writeWhole(view: DataView, start: number, whole: number): number {
  let length = 1;
  for (let bound = 10; whole >= bound; bound *= 10) length++;
  let left = whole;
  for (let at = start + length - 1; at >= start; at--) {
    const next = (left / 10) | 0;
    view.setUint8(at, zero + left - next * 10);
    left = next;
  }
  return start + length;
}

/** Writes zero, and very small or very large values. */
function writeRare(bytes: Buffer, at: number, value: number): number {
  let text = String(value);
  for (let digits = 1; digits <= 9; digits++) {
    text = String(Number(value.toPrecision(digits)));
    if (Math.fround(Number(text)) === value) break;
  }
  return at + bytes.write(text, at, "latin1");
}
