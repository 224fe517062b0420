import { isAscii } from "node:buffer";
import { randomBytes } from "node:crypto";
import { nextTurn } from "@uag/runtime/next-turn";
import { joined } from "../joined.ts";
import { withReadyPages } from "../ready-pages.ts";

/** White space of a JSON text, or a string's content without its quotes, as byte offsets. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly isBlank: boolean;
}

/**
 * Strings and white space longer than this, bytes, are parsed separately. Shorter ones are few
 * enough, by the limit on values, to be parsed in one turn.
 */
export const longBytes = 1024;
/** Bytes parsed per turn of the event loop, which takes about 5 ms. */
const pieceBytes = 1024 * 1024;
/**
 * Maximum text length, UTF-16 code units: what OpenAI accepts (its `string_above_max_length`), and
 * more than any model reads. Base64 may be longer.
 */
export const maxTextLength = 10 * 1024 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;
const maxEscapeLength = 6;
/** The prefix of a data URL's content. */
const dataUrlHead = /^data:[^,]{0,200},/;
const notBase64 = /[^\w+/=\r\n-]/;

/** Replaces a text above the maximum length. */
export const tooLong = Symbol("too long");

/**
 * The long strings of a JSON text, which are parsed in pieces, because in one go each pass over
 * them would block everything else. The text is parsed without them, with an unguessable mark in
 * place of each. Long runs of white space are dropped.
 */
export class LongStrings {
  readonly #bytes: Buffer;
  readonly #spans: readonly Span[];
  readonly #mark = `\u0001${randomBytes(12).toString("hex")} `;
  readonly #texts: (string | typeof tooLong)[] = [];
  /** Bytes parsed in this turn. */
  #read = 0;

  /** @param bytes valid UTF-8 */
  constructor(bytes: Buffer, spans: readonly Span[]) {
    this.#bytes = bytes;
    this.#spans = spans;
  }

  /** The text with marks in place of long strings. */
  async remainder(): Promise<string> {
    const bytes = await joined(this.#remainingPieces());
    const memory = isAscii(bytes) ? bytes.length : 2 * bytes.length;
    return await withReadyPages(memory, () => bytes.toString("utf8"));
  }

  #remainingPieces(): readonly Buffer[] {
    const pieces: Buffer[] = [];
    let at = 0;
    let strings = 0;
    for (const { from, to, isBlank } of this.#spans) {
      pieces.push(this.#bytes.subarray(at, from));
      if (!isBlank) pieces.push(Buffer.from(JSON.stringify(`${this.#mark}${strings++}`).slice(1, -1)));
      at = to;
    }
    pieces.push(this.#bytes.subarray(at));
    return pieces;
  }

  /** Parses them all. @throws {SyntaxError} for an invalid JSON string */
  async read(): Promise<void> {
    for (const span of this.#spans) if (!span.isBlank) this.#texts.push(await this.#readOne(span));
  }

  async #readOne({ from, to }: Span): Promise<string | typeof tooLong> {
    let text = "";
    let isBase64 = true;
    for (let at = from; at < to; ) {
      const end = cutAt(this.#bytes, at, to);
      const piece = parsePiece(this.#bytes.subarray(at, end));
      isBase64 &&= !notBase64.test(at === from ? piece.replace(dataUrlHead, "") : piece);
      text += piece;
      if (text.length > maxTextLength && !isBase64) return tooLong;
      this.#read += end - at;
      at = end;
      if (this.#read >= pieceBytes) await this.#nextTurn();
    }
    if (to - from <= pieceBytes) return text;
    // The engine keeps a concatenated text as a list of pieces until its characters are accessed.
    // Copying those into one takes 15 ms for 32 MiB: that gets a turn of its own here, rather than
    // surprising the first reader.
    await this.#nextTurn();
    await withReadyPages(isBase64 ? text.length : 2 * text.length, () => text.charCodeAt(0));
    await this.#nextTurn();
    return text;
  }

  async #nextTurn(): Promise<void> {
    this.#read = 0;
    await nextTurn();
  }

  /**
   * The string that a mark replaces, {@link tooLong} for one above {@link maxTextLength};
   * undefined for any other text.
   */
  of(text: string): string | typeof tooLong | undefined {
    return text.startsWith(this.#mark) ? this.#texts[Number(text.slice(this.#mark.length))] : undefined;
  }
}

function parsePiece(bytes: Buffer): string {
  const quoted = Buffer.allocUnsafe(bytes.length + 2);
  quoted[0] = quote;
  bytes.copy(quoted, 1);
  quoted[bytes.length + 1] = quote;
  return JSON.parse(quoted.toString("utf8")) as string;
}

/**
 * Where a piece that starts at `from` ends: at most at `to`, not within a character or an escape.
 */
function cutAt(bytes: Buffer, from: number, to: number): number {
  let end = from + pieceBytes;
  if (end >= to) return to;
  while (((bytes[end] as number) & 0xc0) === 0x80) end--;
  for (let at = end - 1; at >= end - maxEscapeLength; at--) {
    if (bytes[at] !== backslash) continue;
    let first = at;
    while (first > from && bytes[first - 1] === backslash) first--;
    if ((at - first) % 2 === 1) return end;
    return at + (bytes[at + 1] === letterU ? maxEscapeLength : 2) > end ? at : end;
  }
  return end;
}
