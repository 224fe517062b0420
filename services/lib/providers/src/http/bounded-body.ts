import { tooLong, type UpstreamFailure } from "../failure.ts";
import { readableText } from "../reading/readable-text.ts";

/** Of a body that is too long: its end reports the usage. */
const tailBytes = 256 * 1024;
/** How much longer than allowed a body may be for its end to be waited for. */
const readOnFactor = 4;

/** A body as it is received, in bounded memory. */
export class BoundedBody {
  readonly #maxBytes: number;
  /** What was received, up to the maximum. */
  readonly chunks: Buffer[] = [];
  #size = 0;
  #tail: Buffer[] = [];
  #tailSize = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isTooLong(): boolean {
    return this.#size > this.#maxBytes;
  }

  /** Whether to stop reading: not even the end is of use any more. */
  get isHopeless(): boolean {
    return this.#size > this.#maxBytes * readOnFactor;
  }

  add(chunk: Buffer): void {
    this.#size += chunk.length;
    if (!this.isTooLong) this.chunks.push(chunk);
    else this.#keepTail(chunk);
  }

  /** What was received; of a body that is too long, its end. */
  get bytes(): Buffer {
    if (this.isTooLong) return Buffer.concat(this.#tail);
    return Buffer.concat(this.chunks, this.#size);
  }

  /** The upstream charges for a response that is too long, so this is final. */
  failure(): UpstreamFailure {
    const received = readableText(this.chunks);
    return tooLong(this.#maxBytes, { received, partial: this.bytes });
  }

  #keepTail(chunk: Buffer): void {
    // A slice of a chunk would keep all of it in memory.
    this.#tail.push(Buffer.from(chunk.subarray(-tailBytes)));
    this.#tailSize += Math.min(chunk.length, tailBytes);
    while (this.#tailSize - (this.#tail[0] as Buffer).length >= tailBytes) {
      this.#tailSize -= (this.#tail.shift() as Buffer).length;
    }
  }
}
