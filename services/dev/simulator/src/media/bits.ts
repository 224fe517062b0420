/** Writes single bits, most significant first, and the Exp-Golomb codes of H.264. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #open = 0;
  #count = 0;

  /** The low `width` bits of a value; at most 24. */
  put(value: number, width: number): this {
    for (let at = width - 1; at >= 0; at--) {
      this.#open = (this.#open << 1) | ((value >>> at) & 1);
      if (++this.#count === 8) {
        this.#bytes.push(this.#open);
        this.#open = 0;
        this.#count = 0;
      }
    }
    return this;
  }

  /** ue(v): an unsigned Exp-Golomb code. */
  unsigned(value: number): this {
    const width = 32 - Math.clz32(value + 1);
    return this.put(0, width - 1).put(value + 1, width);
  }

  /** Fills the current byte with zero bits. */
  align(): this {
    return this.#count === 0 ? this : this.put(0, 8 - this.#count);
  }

  /** Appends whole bytes; only when aligned. */
  fill(value: number, count: number): this {
    for (let i = 0; i < count; i++) this.#bytes.push(value);
    return this;
  }

  /** Appends whole bytes; only when aligned. */
  append(bytes: Iterable<number>): this {
    for (const byte of bytes) this.#bytes.push(byte);
    return this;
  }

  /** Writes the stop bit of a payload and the alignment after it, and returns all bytes so far. */
  finish(): Buffer {
    this.put(1, 1).align();
    return Buffer.from(this.#bytes);
  }
}
