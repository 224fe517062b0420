import { LinkError } from "./errors.ts";

/** Bounds of a body that is collected into one buffer, bytes. */
export interface WholeBodyOptions {
  readonly maxBytes: number;
  /** Told how many bytes more will be held, before they are; what it throws ends the reading. */
  readonly take?: ((bytes: number) => void) | undefined;
  /** How long the body says it is. */
  readonly length?: number | undefined;
}

const minBytes = 64 * 1024;

/**
 * Puts a body together in one piece of memory. A chunk is a part of a larger message: keeping
 * chunks would keep what came with them, and the pieces of a body that comes in drops weigh many
 * times what they hold.
 */
export class WholeBody {
  readonly #options: WholeBodyOptions;
  #bytes = Buffer.alloc(0);
  #size = 0;

  /** @throws {LinkError} `too_large`; what `take` throws */
  constructor(options: WholeBodyOptions) {
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
    // Memory that nothing was written to yet costs nothing.
    const larger = Buffer.allocUnsafeSlow(length);
    this.#bytes.copy(larger, 0, 0, this.#size);
    this.#bytes = larger;
  }
}

/** @throws {LinkError} `too_large` */
export function checkSize(size: number, { maxBytes }: WholeBodyOptions): void {
  if (size > maxBytes) throw new LinkError("too_large", `body exceeds ${maxBytes} bytes`);
}
