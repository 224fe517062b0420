import { append } from "../append.ts";
import type { SseEvent } from "./event.ts";
import { parseBlock } from "./parse-block.ts";

const lineFeed = 10;
const carriageReturn = 13;
const nothing = Buffer.alloc(0);
/** Events may be parsed several times, at about 2 ms for a MiB. */
const defaultMaxEventBytes = 4 * 1024 * 1024;

/** An event longer than the decoder's limit: the stream cannot be decoded further. */
export class SseTooLargeError extends Error {
  override readonly name = "SseTooLargeError";
}

/**
 * Splits a byte stream into events incrementally. An event is returned by the push that brings its
 * last byte; bytes are copied only when an event spans pushes. Do not modify pushed buffers
 * afterwards.
 */
export class SseDecoder {
  readonly #maxEventBytes: number;
  /** The bytes of the incomplete block. */
  #held: Buffer = nothing;
  /** The buffer that contains #held when we allocated it, with room to grow. */
  #room: Buffer | undefined;
  #roomOffset = 0;
  /**
   * Offsets into #held: where parsing starts, where the current line starts, how far it was
   * searched.
   */
  #from = 0;
  #line = 0;
  #searched = 0;
  #hasCr = false;
  #endedWithCr = false;
  #atStart = true;

  constructor(options: { maxEventBytes?: number } = {}) {
    this.#maxEventBytes = options.maxEventBytes ?? defaultMaxEventBytes;
  }

  /** @throws {SseTooLargeError} */
  push(chunk: Buffer): SseEvent[] {
    let events: SseEvent[] | undefined;
    if (chunk.length === 0) return [];
    const source = this.#append(chunk);
    let nextCr = source.indexOf(carriageReturn, this.#searched);
    let nextLf = source.indexOf(lineFeed, this.#searched);
    // It belongs to no event, so that an event can be passed on in the middle of another stream.
    let start = this.#skipByteOrderMark(source);
    this.#skipLateLf(source);
    for (;;) {
      const at = this.#searched;
      if (nextCr >= 0 && nextCr < at) nextCr = source.indexOf(carriageReturn, at);
      if (nextLf >= 0 && nextLf < at) nextLf = source.indexOf(lineFeed, at);
      const end = nextCr >= 0 && (nextLf < 0 || nextCr < nextLf) ? nextCr : nextLf;
      if (end < 0) break;
      const blank = end === this.#line;
      this.#pastLineEnd(source, end);
      if (!blank) continue;
      const block = { source, start, end: this.#searched, from: this.#from, hasCr: this.#hasCr };
      events = append(events, parseBlock(block));
      start = this.#searched;
      this.#atStart = false;
      this.#from = start;
      this.#hasCr = false;
    }
    this.#hold(source, start);
    return events ?? [];
  }

  /** The last event of a stream that ended without its final blank line. */
  end(): SseEvent | undefined {
    const source = this.#held;
    this.#held = nothing;
    if (source.length === 0) return undefined;
    return parseBlock({ source, start: 0, end: source.length, from: this.#from, hasCr: true });
  }

  #pastLineEnd(source: Buffer, end: number): void {
    const isCr = source[end] === carriageReturn;
    const hasLf = isCr && source[end + 1] === lineFeed;
    if (isCr) this.#hasCr = true;
    this.#endedWithCr = isCr && end + 1 === source.length;
    this.#line = end + (hasLf ? 2 : 1);
    this.#searched = this.#line;
  }

  /** @returns its length, or 0 */
  #skipByteOrderMark(source: Buffer): number {
    if (!this.#atStart || source.length < 3) return 0;
    this.#atStart = false;
    if (source[0] !== 0xef || source[1] !== 0xbb || source[2] !== 0xbf) return 0;
    this.#from = 3;
    this.#line = 3;
    this.#searched = 3;
    return 3;
  }

  /** A CR at the end of one push and the LF at the start of the next are one terminator. */
  #skipLateLf(source: Buffer): void {
    if (!this.#endedWithCr) return;
    this.#endedWithCr = false;
    if (source[this.#searched] !== lineFeed) return;
    if (this.#from === this.#line) this.#from++;
    this.#line++;
    this.#searched++;
  }

  #append(chunk: Buffer): Buffer {
    const held = this.#held;
    if (held.length === 0) {
      this.#room = undefined;
      return chunk;
    }
    const size = held.length + chunk.length;
    if (this.#room === undefined || this.#roomOffset + size > this.#room.length) {
      this.#room = Buffer.allocUnsafeSlow(size * 2);
      this.#roomOffset = 0;
      held.copy(this.#room);
    }
    chunk.copy(this.#room, this.#roomOffset + held.length);
    return this.#room.subarray(this.#roomOffset, this.#roomOffset + size);
  }

  #hold(source: Buffer, start: number): void {
    if (start === source.length) this.#held = nothing;
    else this.#held = start === 0 ? source : source.subarray(start);
    this.#roomOffset += start;
    this.#from -= start;
    this.#line -= start;
    this.#searched = source.length - start;
    if (this.#held.length > this.#maxEventBytes) {
      throw new SseTooLargeError(`an event exceeds ${this.#maxEventBytes} bytes`);
    }
  }
}
