/**
 * Callbacks of a {@link MessageReader}: the parts of successive HTTP/1.1 messages. Slices are valid
 * only during the call.
 */
export interface MessageSink {
  head(head: string): void;
  body(bytes: Buffer): void;
  end(): void;
}

const headEnd = "\r\n\r\n";

/**
 * Splits the bytes of one HTTP/1.1 connection into messages. It supports only what both ends of the
 * benchmark need: bodies framed by `content-length` or by chunks. Throws on any other framing, so
 * that a malformed response never counts as a good one.
 */
export class MessageReader {
  readonly #sink: MessageSink;
  readonly #kind: "request" | "response";
  #state: "head" | "length" | "chunk-size" | "chunk" | "chunk-end" | "last-chunk" = "head";
  #left = 0;
  #rest: Buffer | undefined;

  constructor(options: { readonly sink: MessageSink; readonly kind: "request" | "response" }) {
    this.#sink = options.sink;
    this.#kind = options.kind;
  }

  /** True between messages: the connection may be closed here without anything being lost. */
  get idle(): boolean {
    return this.#state === "head" && this.#rest === undefined;
  }

  push(received: Buffer): void {
    const bytes = this.#rest === undefined ? received : Buffer.concat([this.#rest, received]);
    this.#rest = undefined;
    let at = 0;
    while (at < bytes.length) {
      const next = this.#step(bytes, at);
      if (next < 0) break;
      at = next;
    }
    // The caller may reuse its buffer, so kept bytes are copied.
    if (at < bytes.length) this.#rest = Buffer.from(bytes.subarray(at));
  }

  /**
   * Consumes one element from `at`; returns the start of the next, or -1 if more bytes are needed.
   */
  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case "head":
        return this.#head(bytes, at);
      case "length":
      case "chunk":
        return this.#bytes(bytes, at);
      case "chunk-size":
        return this.#chunkSize(bytes, at);
      case "chunk-end":
      case "last-chunk":
        return this.#lineEnd(bytes, at);
    }
  }

  #head(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(headEnd, at, "latin1");
    if (end < 0) return -1;
    const head = bytes.toString("latin1", at, end + 2);
    this.#sink.head(head);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined) this.#left = Number(length);
    else if (/\r\ntransfer-encoding: *chunked/i.test(head)) this.#state = "chunk-size";
    else if (this.#kind === "request") this.#left = 0;
    else throw new Error(`a response without content-length or chunks: ${head}`);
    if (this.#state === "head") {
      if (this.#left === 0) this.#sink.end();
      else this.#state = "length";
    }
    return end + headEnd.length;
  }

  #bytes(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    this.#sink.body(bytes.subarray(at, end));
    if (this.#left === 0) {
      if (this.#state === "chunk") this.#state = "chunk-end";
      else this.#finish();
    }
    return end;
  }

  #chunkSize(bytes: Buffer, at: number): number {
    const end = bytes.indexOf("\r\n", at, "latin1");
    if (end < 0) return -1;
    const line = bytes.toString("latin1", at, end);
    const size = Number.parseInt(line, 16);
    if (!(size >= 0)) throw new Error(`not a chunk size: ${JSON.stringify(line.slice(0, 80))}`);
    this.#left = size;
    this.#state = size === 0 ? "last-chunk" : "chunk";
    return end + 2;
  }

  #lineEnd(bytes: Buffer, at: number): number {
    if (bytes.length - at < 2) return -1;
    if (bytes[at] !== 13 || bytes[at + 1] !== 10) throw new Error("a chunk that does not end at its declared length");
    if (this.#state === "last-chunk") this.#finish();
    else this.#state = "chunk-size";
    return at + 2;
  }

  #finish(): void {
    this.#state = "head";
    this.#sink.end();
  }
}
