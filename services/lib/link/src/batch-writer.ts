import type { OpenFrame } from "./frames.ts";
import { maxHeadBytes } from "./limits.ts";

const slabBytes = 64 * 1024;
/** Up to this length, a loop over char codes is faster than a call into native code. */
const maxShortString = 40;

// Tags of link.v1 (field number << 3 | wire type).
const frameTag = 0x0a;
const exchangeTag = 0x08;
const openTag = 0x12;
const bodyTag = 0x1a;
const endTag = 0x22;
const headTag = 0x2a;
const chunkTag = 0x32;
const trailerTag = 0x3a;
const cancelTag = 0x42;
const creditTag = 0x4a;
const drainTag = 0x52;

function varintBytes(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  return value < 0x10000000 ? 4 : 5;
}

/**
 * Encodes link.v1.FrameBatch directly into one growing buffer, without frame objects. Wire
 * compatible with the generated codec. Lengths of open, head, trailer and cancel are written as
 * three-byte varints, so that they can be filled in afterwards.
 */
export class BatchWriter {
  #slab = Buffer.allocUnsafeSlow(slabBytes);
  #start = 0;
  #pos = 0;

  /** Bytes in the batch so far. */
  get size(): number {
    return this.#pos - this.#start;
  }

  /**
   * The finished batch; the writer continues with an empty one and never touches the returned bytes
   * again.
   */
  take(): Buffer {
    const batch = this.#slab.subarray(this.#start, this.#pos);
    this.#start = this.#pos;
    return batch;
  }

  /** Returns false and writes nothing when the frame would exceed `maxHeadBytes`. */
  open(exchange: number, open: OpenFrame): boolean {
    const at = this.#begin(exchange, openTag);
    this.#field(0x0a, open.operation);
    this.#field(0x12, open.requestId);
    this.#field(0x1a, open.target);
    this.#headers(0x22, open.headers);
    if (open.context.length > 0) {
      this.#ensure(open.context.length + 6);
      this.#slab[this.#pos++] = 0x2a;
      this.#varint(open.context.length);
      this.#copy(open.context, 0, open.context.length);
    }
    this.#ensure(8);
    if (open.deadlineMs > 0) {
      this.#slab[this.#pos++] = 0x30;
      this.#varint(open.deadlineMs);
    }
    if (open.bodyless) {
      this.#slab[this.#pos++] = 0x38;
      this.#slab[this.#pos++] = 1;
    }
    return this.#finish(at, exchange);
  }

  /** Returns false and writes nothing when the frame would exceed `maxHeadBytes`. */
  head(exchange: number, status: number, headers: readonly string[]): boolean {
    const at = this.#begin(exchange, headTag);
    if (status !== 0) {
      this.#slab[this.#pos++] = 0x08;
      this.#varint(status);
    }
    this.#headers(0x12, headers);
    return this.#finish(at, exchange);
  }

  /** Starts a body or chunk frame of this many bytes, which `append` must then supply. */
  beginBytes(kind: "body" | "chunk", exchange: number, bytes: number): void {
    const frame = 1 + varintBytes(exchange) + 1 + varintBytes(bytes) + bytes;
    this.#ensure(frame + 6);
    this.#frame(frame, exchange, kind === "body" ? bodyTag : chunkTag);
    this.#varint(bytes);
  }

  append(source: Buffer, from: number, to: number): void {
    this.#copy(source, from, to);
  }

  end(exchange: number): void {
    this.#empty(exchange, endTag);
  }

  trailer(exchange: number, errorCode: string): void {
    if (errorCode === "") {
      this.#empty(exchange, trailerTag);
      return;
    }
    const at = this.#begin(exchange, trailerTag);
    this.#field(0x0a, errorCode);
    this.#finish(at, exchange);
  }

  cancel(exchange: number, reason: string, refused: boolean): void {
    const at = this.#begin(exchange, cancelTag);
    this.#field(0x0a, reason);
    if (refused) {
      this.#ensure(2);
      this.#slab[this.#pos++] = 0x10;
      this.#slab[this.#pos++] = 1;
    }
    this.#finish(at, exchange);
  }

  credit(exchange: number, bytes: number): void {
    const inner = bytes === 0 ? 0 : 1 + varintBytes(bytes);
    this.#ensure(24);
    this.#frame(1 + varintBytes(exchange) + 2 + inner, exchange, creditTag);
    this.#slab[this.#pos++] = inner;
    if (bytes === 0) return;
    this.#slab[this.#pos++] = 0x08;
    this.#varint(bytes);
  }

  drain(): void {
    this.#ensure(4);
    this.#slab[this.#pos++] = frameTag;
    this.#slab[this.#pos++] = 2;
    this.#slab[this.#pos++] = drainTag;
    this.#slab[this.#pos++] = 0;
  }

  #empty(exchange: number, tag: number): void {
    this.#ensure(16);
    this.#frame(1 + varintBytes(exchange) + 2, exchange, tag);
    this.#slab[this.#pos++] = 0;
  }

  #frame(bytes: number, exchange: number, tag: number): void {
    this.#slab[this.#pos++] = frameTag;
    this.#varint(bytes);
    this.#slab[this.#pos++] = exchangeTag;
    this.#varint(exchange);
    this.#slab[this.#pos++] = tag;
  }

  /** Starts a frame whose length is not known yet; returns its offset in the batch. */
  #begin(exchange: number, tag: number): number {
    this.#ensure(24);
    const at = this.size;
    this.#slab[this.#pos] = frameTag;
    this.#pos += 4;
    this.#slab[this.#pos++] = exchangeTag;
    this.#varint(exchange);
    this.#slab[this.#pos] = tag;
    this.#pos += 4;
    return at;
  }

  #finish(at: number, exchange: number): boolean {
    const frameBody = this.#start + at + 4;
    const messageBody = frameBody + 1 + varintBytes(exchange) + 4;
    if (this.#pos - messageBody > maxHeadBytes) {
      this.#pos = this.#start + at;
      return false;
    }
    this.#paddedVarint(messageBody - 3, this.#pos - messageBody);
    this.#paddedVarint(frameBody - 3, this.#pos - frameBody);
    return true;
  }

  #paddedVarint(at: number, value: number): void {
    this.#slab[at] = (value & 0x7f) | 0x80;
    this.#slab[at + 1] = ((value >>> 7) & 0x7f) | 0x80;
    this.#slab[at + 2] = value >>> 14;
  }

  #headers(tag: number, headers: readonly string[]): void {
    for (let i = 0; i < headers.length; i++) this.#string(tag, headers[i] as string);
  }

  #field(tag: number, text: string): void {
    if (text !== "") this.#string(tag, text);
  }

  #string(tag: number, text: string): void {
    const length = text.length;
    this.#ensure(length * 3 + 6);
    const slab = this.#slab;
    slab[this.#pos++] = tag;
    if (length <= maxShortString) {
      let at = this.#pos + 1;
      let i = 0;
      for (; i < length; i++) {
        const code = text.charCodeAt(i);
        if (code > 0x7f) break;
        slab[at++] = code;
      }
      if (i === length) {
        slab[this.#pos] = length;
        this.#pos = at;
        return;
      }
    }
    const guess = varintBytes(length);
    const written = slab.write(text, this.#pos + guess, "utf8");
    const needed = varintBytes(written);
    if (needed !== guess) slab.copyWithin(this.#pos + needed, this.#pos + guess, this.#pos + guess + written);
    this.#varint(written);
    this.#pos += written;
  }

  #copy(source: Buffer, from: number, to: number): void {
    source.copy(this.#slab, this.#pos, from, to);
    this.#pos += to - from;
  }

  #varint(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.#slab[this.#pos++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#slab[this.#pos++] = rest;
  }

  #ensure(bytes: number): void {
    if (this.#pos + bytes <= this.#slab.length) return;
    const size = this.size;
    const slab = Buffer.allocUnsafeSlow(Math.max(slabBytes, 2 * (size + bytes)));
    this.#slab.copy(slab, 0, this.#start, this.#pos);
    this.#slab = slab;
    this.#start = 0;
    this.#pos = size;
  }
}
