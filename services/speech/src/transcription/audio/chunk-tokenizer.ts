import { Pace } from "@uag/runtime/pace";
import { AbstractTokenizer, EndOfStreamError, type IReadChunkOptions } from "strtok3";
import type { AudioFormat } from "./format.ts";

/** A reader of a file that was read too often, or too long: it is malicious or broken. */
class TooMuchWork extends Error {
  override readonly name = "TooMuchWork";
}

/** No header that states a length is longer, bytes. */
const maxReadBytes = 1024 * 1024;
/** All reads together, bytes: Ogg's pages are read to the last. */
const maxTotalBytes = 64 * 1024 * 1024;
/** Turns of the event loop, of 8 ms each. Time that other work takes in between does not count. */
const maxTurns = 250;

/** Reads a file in pieces, within limits of time, reads and bytes, in turns of the event loop. */
export class ChunkTokenizer extends AbstractTokenizer {
  override readonly fileInfo: { readonly size: number; readonly mimeType: string };
  readonly #chunks: readonly Buffer[];
  readonly #starts: readonly number[];
  readonly #maxReads: number;
  readonly #pace = new Pace();
  #reads = 0;
  #turns = 0;
  #bytes = 0;

  constructor(chunks: readonly Buffer[], { mediaType, maxReads }: AudioFormat) {
    super({ maxBufferSize: maxReadBytes });
    const starts: number[] = [];
    let size = 0;
    for (const { length } of chunks) {
      starts.push(size);
      size += length;
    }
    this.#chunks = chunks;
    this.#starts = starts;
    this.fileInfo = { size, mimeType: mediaType };
    this.#maxReads = maxReads;
  }

  supportsRandomAccess(): boolean {
    return true;
  }

  setPosition(position: number): void {
    this.validateLength(position, "position");
    this.position = position;
  }

  async readBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const read = await this.peekBuffer(target, options);
    this.position = (options?.position ?? this.position) + read;
    return read;
  }

  async peekBuffer(target: Uint8Array, options?: IReadChunkOptions): Promise<number> {
    const { length, position, mayBeLess } = this.normalizeOptions(target, options);
    const available = Math.max(0, Math.min(length, this.fileInfo.size - position));
    if (available < length && !mayBeLess) throw new EndOfStreamError();
    await this.#spend(available);
    this.#copy(target, position, available);
    return available;
  }

  /** @throws {TooMuchWork} */
  async #spend(bytes: number): Promise<void> {
    this.#reads++;
    this.#bytes += bytes;
    if (this.#reads > this.#maxReads || this.#bytes > maxTotalBytes || this.#turns > maxTurns)
      throw new TooMuchWork("the file takes too long to read");
    if (!this.#pace.isOver) return;
    this.#turns++;
    await this.#pace.rest();
  }

  #copy(target: Uint8Array, position: number, length: number): void {
    let copied = 0;
    for (let at = this.#chunkAt(position); copied < length; at++) {
      const chunk = this.#chunks[at] as Buffer;
      const from = position + copied - (this.#starts[at] as number);
      copied += chunk.copy(target, copied, from, from + length - copied);
    }
  }

  /** The piece that contains a position: the last that starts at or before it. */
  #chunkAt(position: number): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] as number) <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
