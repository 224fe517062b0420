import { UpstreamFailure } from "../failure.ts";
import { type AnswerHead, parseHead } from "./answer-head.ts";
import { ChunkDecoder } from "./chunk-decoder.ts";

const blankLine = Buffer.from("\r\n\r\n");
const mostHeadBytes = 64 * 1024;
const nothing = Buffer.alloc(0);

export interface AnswerSink {
  /** The final answer's head; interim ones (1xx) are skipped. */
  onHead(head: AnswerHead): void;
  /** False: no more of it is wanted. */
  onData(bytes: Buffer): boolean;
  /** @param clean nothing came behind the answer: its connection can carry another */
  onEnd(clean: boolean): void;
}

/** Reads one answer of HTTP/1.1 (RFC 9112) as it comes. What it gives out shares memory with what was pushed. */
export class AnswerParser {
  readonly #sink: AnswerSink;
  #held: Buffer = nothing;
  #head: AnswerHead | undefined;
  #chunks: ChunkDecoder | undefined;
  /** Bytes of the body still to come. */
  #left = Number.POSITIVE_INFINITY;
  #done = false;
  readonly #take = (piece: Buffer): boolean => this.#sink.onData(piece);

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  /** @throws {UpstreamFailure} `transient` for what is no answer */
  push(bytes: Buffer): void {
    let at = 0;
    while (this.#head === undefined) {
      at = this.#readHead(bytes, at);
      if (at < 0) return;
    }
    if (this.#done) return;
    const end = this.#readBody(this.#head, bytes, at);
    if (end >= 0) this.#finish(end === bytes.length);
  }

  /** The connection has ended. @throws {UpstreamFailure} `transient` when the answer had not */
  end(): void {
    if (this.#done) return;
    if (this.#head?.framing.kind !== "until-close") {
      throw new UpstreamFailure("transient", "the connection broke: it ended early", {
        status: this.#head?.status ?? 0,
      });
    }
    this.#finish(false);
  }

  /** Where the head ended in `bytes`; -1 when it is not whole yet. */
  #readHead(bytes: Buffer, from: number): number {
    const before = this.#held.length;
    const all = before === 0 ? bytes.subarray(from) : Buffer.concat([this.#held, bytes.subarray(from)]);
    const end = all.indexOf(blankLine, Math.max(0, before - 3));
    if (end > mostHeadBytes || (end < 0 && all.length > mostHeadBytes)) {
      throw new UpstreamFailure("transient", `the answer's head is longer than ${mostHeadBytes} bytes`);
    }
    if (end < 0) {
      this.#held = all;
      return -1;
    }
    this.#held = nothing;
    const head = parseHead(all.subarray(0, end));
    if (head.status === 101) throw new UpstreamFailure("transient", "the upstream wants another protocol");
    if (head.status >= 200) this.#begin(head);
    return from + end + blankLine.length - before;
  }

  #begin(head: AnswerHead): void {
    const { framing } = head;
    this.#head = head;
    if (framing.kind === "chunked") this.#chunks = new ChunkDecoder();
    else if (framing.kind === "length") this.#left = framing.bytes;
    this.#sink.onHead(head);
  }

  /** Where the body ended in `bytes`; -1 when it goes on, or nobody wants it. */
  #readBody({ framing }: AnswerHead, bytes: Buffer, from: number): number {
    if (framing.kind === "none") return from;
    if (this.#chunks !== undefined) {
      const at = this.#chunks.decode(bytes, from, this.#take);
      return this.#chunks.done ? at : -1;
    }
    const end = Math.min(bytes.length, from + this.#left);
    this.#left -= end - from;
    const wanted = end === from || this.#sink.onData(bytes.subarray(from, end));
    return wanted && this.#left === 0 ? end : -1;
  }

  #finish(clean: boolean): void {
    this.#done = true;
    this.#sink.onEnd(clean);
  }
}
