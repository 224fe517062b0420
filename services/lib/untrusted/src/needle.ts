/**
 * A short text to search for in short buffers, many times. Horspool's algorithm in JavaScript:
 * Buffer's own search calls native code and stops at each occurrence of the text's first byte,
 * which in JSON is usually a quote; over an event of 300 bytes that takes twice as long.
 */
export class Needle {
  readonly #bytes: Buffer;
  /** How far to advance from a position, by the byte there. */
  readonly #shifts: Uint8Array;

  /** @param text 1 to 255 bytes of UTF-8 */
  constructor(text: string) {
    this.#bytes = Buffer.from(text);
    const { length } = this.#bytes;
    if (length === 0 || length > 255) throw new RangeError("a needle must have 1 to 255 bytes");
    this.#shifts = new Uint8Array(256).fill(length);
    for (let at = 0; at < length - 1; at++) this.#shifts[this.#bytes[at] as number] = length - 1 - at;
  }

  get length(): number {
    return this.#bytes.length;
  }

  /** Its position in `bytes`, at or after `from`; -1 when it is absent. */
  indexIn(bytes: Buffer, from = 0): number {
    const shifts = this.#shifts;
    const last = this.#bytes.length - 1;
    const tail = this.#bytes[last];
    const { length } = bytes;
    for (let at = from + last; at < length; ) {
      const byte = bytes[at] as number;
      if (byte === tail && this.isAt(bytes, at - last)) return at - last;
      at += shifts[byte] as number;
    }
    return -1;
  }

  /** Whether it is at exactly this position. */
  isAt(bytes: Buffer, start: number): boolean {
    const needle = this.#bytes;
    let at = needle.length - 1;
    while (at >= 0 && bytes[start + at] === needle[at]) at--;
    return at < 0;
  }
}
