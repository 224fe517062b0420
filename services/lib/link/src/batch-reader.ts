import { LinkError } from "./errors.ts";
import type { FrameSink } from "./frames.ts";

const internSlots = 1024;
const internMaxBytes = 48;

/**
 * Header names and many values repeat across requests: a hit is cheaper than decoding and allocates
 * nothing.
 */
const interned: string[] = new Array<string>(internSlots).fill("");

function malformed(what: string): LinkError {
  return new LinkError("protocol", `malformed batch: ${what}`);
}

/**
 * Decodes link.v1.FrameBatch and passes each frame to a sink. Wire compatible with the generated
 * codec.
 */
export class BatchReader {
  #buf: Buffer = Buffer.alloc(0);
  #pos = 0;

  /**
   * Bytes passed to the sink share the batch's memory only when they are a large part of it, so
   * that a small long-lived chunk does not retain the large memory that several batches share.
   * @throws {LinkError} `protocol` when the bytes are not a FrameBatch; whatever the sink throws
   */
  read(batch: Buffer, sink: FrameSink): void {
    this.#buf = batch;
    this.#pos = 0;
    while (this.#pos < batch.length) {
      const tag = this.#varint();
      if (tag !== 0x0a) {
        this.#skip(tag);
        continue;
      }
      const end = this.#end(batch.length);
      this.#frame(end, sink);
    }
  }

  #frame(end: number, sink: FrameSink): void {
    let exchange = 0;
    let kind = 0;
    let from = 0;
    let to = 0;
    while (this.#pos < end) {
      const tag = this.#varint();
      const field = tag >>> 3;
      if (tag === 0x08) {
        exchange = this.#varint();
      } else if ((tag & 7) === 2 && field >= 2 && field <= 10) {
        kind = field;
        to = this.#end(end);
        from = this.#pos;
        this.#pos = to;
      } else {
        this.#skip(tag);
      }
    }
    if (this.#pos !== end) throw malformed("a frame exceeds its length");
    this.#pos = from;
    this.#dispatch(exchange, kind, to, sink);
    this.#pos = end;
  }

  #dispatch(exchange: number, kind: number, to: number, sink: FrameSink): void {
    switch (kind) {
      case 2:
        this.#open(exchange, to, sink);
        break;
      case 3:
        sink.onBody(exchange, this.#bytes(to));
        break;
      case 4:
        sink.onEnd(exchange);
        break;
      case 5:
        this.#head(exchange, to, sink);
        break;
      case 6:
        sink.onChunk(exchange, this.#bytes(to));
        break;
      case 7:
        sink.onTrailer(exchange, this.#errorCode(to));
        break;
      case 8:
        this.#cancel(exchange, to, sink);
        break;
      case 9:
        sink.onCredit(exchange, this.#credit(to));
        break;
      case 10:
        sink.onDrain(exchange);
        break;
      default:
      // A frame kind of a later version: ignored.
    }
  }

  #open(exchange: number, end: number, sink: FrameSink): void {
    const open = {
      operation: "",
      requestId: "",
      target: "",
      headers: [] as string[],
      context: Buffer.alloc(0) as Buffer,
      deadlineMs: 0,
      bodyless: false,
    };
    while (this.#pos < end) {
      const tag = this.#varint();
      if (tag === 0x22) open.headers.push(this.#string(end));
      else if (tag === 0x0a) open.operation = this.#string(end);
      else if (tag === 0x12) open.requestId = this.#string(end);
      else if (tag === 0x1a) open.target = this.#string(end);
      else if (tag === 0x2a) open.context = this.#bytes(this.#end(end));
      else if (tag === 0x30) open.deadlineMs = this.#varint();
      else if (tag === 0x38) open.bodyless = this.#varint() !== 0;
      else this.#skip(tag);
    }
    this.#expect(end);
    sink.onOpen(exchange, open);
  }

  #head(exchange: number, end: number, sink: FrameSink): void {
    let status = 0;
    const headers: string[] = [];
    while (this.#pos < end) {
      const tag = this.#varint();
      if (tag === 0x12) headers.push(this.#string(end));
      else if (tag === 0x08) status = this.#varint();
      else this.#skip(tag);
    }
    this.#expect(end);
    sink.onHead(exchange, status, headers);
  }

  #errorCode(end: number): string {
    let code = "";
    while (this.#pos < end) {
      const tag = this.#varint();
      if (tag === 0x0a) code = this.#string(end);
      else this.#skip(tag);
    }
    this.#expect(end);
    return code;
  }

  #cancel(exchange: number, end: number, sink: FrameSink): void {
    let reason = "";
    let refused = false;
    while (this.#pos < end) {
      const tag = this.#varint();
      if (tag === 0x0a) reason = this.#string(end);
      else if (tag === 0x10) refused = this.#varint() !== 0;
      else this.#skip(tag);
    }
    this.#expect(end);
    sink.onCancel(exchange, reason, refused);
  }

  #credit(end: number): number {
    let bytes = 0;
    while (this.#pos < end) {
      const tag = this.#varint();
      if (tag === 0x08) bytes = this.#varint();
      else this.#skip(tag);
    }
    this.#expect(end);
    return bytes;
  }

  #expect(end: number): void {
    if (this.#pos !== end) throw malformed("a field exceeds its length");
  }

  /** Reads a length and returns where the field ends. */
  #end(limit: number): number {
    const length = this.#varint();
    const end = this.#pos + length;
    if (end > limit) throw malformed("a length exceeds the enclosing frame");
    return end;
  }

  #bytes(end: number): Buffer {
    const from = this.#pos;
    this.#pos = end;
    if ((end - from) * 4 >= this.#buf.buffer.byteLength) return this.#buf.subarray(from, end);
    const copy = Buffer.allocUnsafe(end - from);
    this.#buf.copy(copy, 0, from, end);
    return copy;
  }

  #string(limit: number): string {
    const end = this.#end(limit);
    const from = this.#pos;
    this.#pos = end;
    if (end === from) return "";
    if (end - from > internMaxBytes) return this.#buf.toString("utf8", from, end);
    const buf = this.#buf;
    let hash = end - from;
    for (let i = from; i < end; i++) hash = (Math.imul(hash, 31) + (buf[i] as number)) | 0;
    const slot = (hash ^ (hash >>> 15)) & (internSlots - 1);
    const known = interned[slot] as string;
    if (known.length === end - from) {
      let i = from;
      while (i < end && known.charCodeAt(i - from) === buf[i]) i++;
      if (i === end) return known;
    }
    const text = buf.toString("utf8", from, end);
    if (text.length === end - from) interned[slot] = text;
    return text;
  }

  #varint(): number {
    const buf = this.#buf;
    let byte = buf[this.#pos++];
    if (byte === undefined) throw malformed("it ends within a number");
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let shift = 7; shift < 70; shift += 7) {
      byte = buf[this.#pos++];
      if (byte === undefined) throw malformed("it ends within a number");
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw malformed("a number is too long");
  }

  #skip(tag: number): void {
    const wireType = tag & 7;
    if (tag < 8) throw malformed("field number 0");
    if (wireType === 0) this.#varint();
    else if (wireType === 1) this.#pos += 8;
    else if (wireType === 2) this.#pos = this.#end(this.#buf.length);
    else if (wireType === 5) this.#pos += 4;
    else throw malformed(`wire type ${wireType}`);
    if (this.#pos > this.#buf.length) throw malformed("it ends within a field");
  }
}
