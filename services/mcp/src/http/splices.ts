import { randomBytes } from "node:crypto";
import { Pace } from "@uag/runtime/pace";

/** Characters that are cut from a long string at a time. */
const pieceChars = 48 * 1024;
/** Bytes of a file that are encoded at a time; three bytes are four characters of base64. */
const pieceBytes = 36 * 1024;
const markBytes = 12;
const quote = Buffer.from('"');

/** JSON in pieces, without line breaks: it may become an event's data. */
type Pieces = () => Iterable<Buffer>;

/**
 * Large values of one response: while the protocol's library serializes the response, marks stand
 * in their place, so that they are neither walked, copied nor serialized at once.
 */
export class Splices {
  readonly #values = new Map<string, Pieces>();

  /** Registers a JSON value. Returns its placeholder in a result. */
  add(json: Pieces): string {
    // Unguessable from outside, so it occurs nowhere else; also valid as base64.
    const mark = randomBytes(markBytes).toString("hex");
    this.#values.set(mark, json);
    return mark;
  }

  /** A text. */
  text(plain: string): string {
    if (plain.length <= pieceChars) return plain;
    return this.add(function* () {
      yield quote;
      for (let at = 0; at < plain.length; at += pieceChars)
        yield Buffer.from(JSON.stringify(plain.slice(at, at + pieceChars))).subarray(1, -1);
      yield quote;
    });
  }

  /** The base64 of a file's bytes. */
  base64(bytes: Buffer): string {
    if (bytes.length <= pieceBytes) return bytes.toString("base64");
    return this.add(function* () {
      yield quote;
      for (let at = 0; at < bytes.length; at += pieceBytes)
        yield Buffer.from(bytes.toString("base64", at, at + pieceBytes), "latin1");
      yield quote;
    });
  }

  /** The response with the values in place of their marks. */
  into(response: Response): Response {
    // A stream is opened before its values are known.
    if (response.body === null) return response;
    const { status, headers } = response;
    headers.delete("content-length");
    return new Response(ReadableStream.from(this.#spliced(response.body)), { status, headers });
  }

  async *#spliced(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    const pace = new Pace();
    // A message is serialized as one chunk.
    for await (const chunk of body) {
      let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      for (let next = this.#nextIn(rest); next !== undefined; next = this.#nextIn(rest)) {
        yield rest.subarray(0, next.start);
        for (const piece of next.pieces()) {
          yield piece;
          if (pace.isOver) await pace.rest();
        }
        rest = rest.subarray(next.end);
      }
      yield rest;
    }
  }

  /** The first mark in a chunk, with its quotes. */
  #nextIn(chunk: Buffer): { start: number; end: number; pieces: Pieces } | undefined {
    let first: { start: number; end: number; pieces: Pieces } | undefined;
    for (const [mark, pieces] of this.#values) {
      const start = chunk.indexOf(`"${mark}"`);
      if (start >= 0 && start < (first?.start ?? Number.POSITIVE_INFINITY))
        first = { start, end: start + mark.length + 2, pieces };
    }
    return first;
  }
}
