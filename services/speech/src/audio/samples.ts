const none = Buffer.alloc(0);

/** Passes on whole two-byte samples: chunks of a stream may end within one. */
export class CompleteSamples {
  #half: Buffer = none;

  push(piece: Buffer): Buffer {
    const bytes = this.#half.length === 0 ? piece : Buffer.concat([this.#half, piece]);
    const whole = bytes.length & ~1;
    this.#half = whole === bytes.length ? none : Buffer.from(bytes.subarray(whole));
    return bytes.subarray(0, whole);
  }

  /** Starts another stream: half a sample at the end of the previous one is dropped. */
  restart(): void {
    this.#half = none;
  }
}
