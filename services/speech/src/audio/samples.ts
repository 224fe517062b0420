const none = Buffer.alloc(0);

/** Hands on whole samples of two bytes: pieces of a stream may be cut within one. */
export class WholeSamples {
  #half: Buffer = none;

  push(piece: Buffer): Buffer {
    const bytes = this.#half.length === 0 ? piece : Buffer.concat([this.#half, piece]);
    const whole = bytes.length & ~1;
    this.#half = whole === bytes.length ? none : Buffer.from(bytes.subarray(whole));
    return bytes.subarray(0, whole);
  }

  /** Another stream follows: half a sample at this one's end is none. */
  restart(): void {
    this.#half = none;
  }
}
