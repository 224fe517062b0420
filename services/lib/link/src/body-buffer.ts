import { LinkError } from "./errors.ts";

/** Bounds of a body collected into one buffer, bytes. */
export interface BodyBufferOptions {
  readonly maxBytes: number;
  /**
   * Called before more memory is used, with the number of additional bytes; throwing ends the read.
   */
  readonly take?: ((bytes: number) => void) | undefined;
  /** The body's declared length. */
  readonly length?: number | undefined;
}

const minBytes = 64 * 1024;

/**
 * Assembles a body in one buffer. A chunk is a view into a larger message, so keeping chunks would
 * retain those messages, and a body that trickles in would cost many times its size.
 */
export class BodyBuffer {
  readonly #options: BodyBufferOptions;
  #bytes = Buffer.alloc(0);
  #size = 0;

  /** @throws {LinkError} `too_large`; what `take` throws */
  constructor(options: BodyBufferOptions) {
    this.#options = options;
    if (options.length !== undefined) this.#grow(options.length);
  }

  /** @throws {LinkError} `too_large`; what `take` throws */
  add(chunk: Buffer): void {
    const size = this.#size + chunk.length;
    if (size > this.#bytes.length) this.#grow(Math.max(size, Math.min(2 * size, this.#options.maxBytes), minBytes));
    chunk.copy(this.#bytes, this.#size);
    this.#size = size;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  #grow(length: number): void {
    checkSize(length, this.#options);
    this.#options.take?.(length - this.#bytes.length);
    // Allocated memory costs nothing until it is written to.
    const larger = Buffer.allocUnsafeSlow(length);
    this.#bytes.copy(larger, 0, 0, this.#size);
    this.#bytes = larger;
  }
}

/** @throws {LinkError} `too_large` */
export function checkSize(size: number, { maxBytes }: BodyBufferOptions): void {
  if (size > maxBytes) throw new LinkError("too_large", `body exceeds ${maxBytes} bytes`);
}
