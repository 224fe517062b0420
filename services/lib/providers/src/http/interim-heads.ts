const prefix = Buffer.from("HTTP/1.1 10");
const endOfHead = Buffer.from("\r\n\r\n");
const zero = 48;
const three = 51;

/**
 * Rewrites unrequested `100 Continue` heads to `103 Early Hints`, which have the same meaning when
 * nothing was asked for. RFC 9110, 15.2: a client must accept interim responses that it does not
 * expect; undici ignores 103 but closes the connection at 100 (`client-h1.js`,
 * `onHeadersComplete`).
 */
export class InterimHeads {
  /** Whether the next byte belongs to a head that may be an interim one. */
  #isOpen = false;
  /** Bytes of `prefix`, or of `endOfHead` when `#isInterim`, that were matched. */
  #matched = 0;
  #isInterim = false;

  /** A request was written: its response, which may begin with interim heads, is next. */
  requestBegan(): void {
    this.#isOpen = true;
    this.#isInterim = false;
    this.#matched = 0;
  }

  /** Rewrites received bytes in place. */
  rewrite(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && this.#isOpen; at++) {
      const byte = chunk[at] as number;
      if (this.#isInterim) this.#skip(byte);
      else if (this.#matched < prefix.length) this.#match(byte);
      else if (byte === zero || byte === three) {
        chunk[at] = three;
        this.#isInterim = true;
        this.#matched = 0;
      } else this.#isOpen = false;
    }
  }

  #match(byte: number): void {
    if (byte === prefix[this.#matched]) this.#matched++;
    else this.#isOpen = false;
  }

  #skip(byte: number): void {
    this.#matched = byte === endOfHead[this.#matched] ? this.#matched + 1 : byte === endOfHead[0] ? 1 : 0;
    if (this.#matched < endOfHead.length) return;
    this.#isInterim = false;
    this.#matched = 0;
  }
}
