import { append } from "../append.ts";
import { SseEvent } from "./event.ts";

const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
const colonCode = 58;
const newline = Buffer.from("\n");

interface Fields {
  name: string;
  id: string;
  data: Buffer[] | undefined;
}

/** One event of a stream as received: its lines up to its final blank line. */
export interface Block {
  readonly source: Buffer;
  /** The block is `source[start, end)`. */
  readonly start: number;
  readonly end: number;
  /**
   * Where its first line begins: after a byte order mark, or after the LF of a terminator split
   * between two pushes.
   */
  readonly from: number;
  readonly hasCr: boolean;
}

/** Parses one block according to WHATWG HTML 9.2.6. */
export function parseBlock(block: Block): SseEvent {
  const { source, start, end } = block;
  const fields: Fields = { name: "", id: "", data: undefined };
  const lines = block.hasCr ? new LineEnds(source.subarray(0, end)) : undefined;
  for (let line = block.from; line < end; ) {
    const stop = lines === undefined ? lineFeedAt(block, line) : lines.after(line);
    if (stop > line) takeLine(fields, source, line, stop);
    line = stop + (source[stop] === carriageReturn && source[stop + 1] === lineFeed && stop + 1 < end ? 2 : 1);
  }
  return new SseEvent({ source, start, end, name: fields.name, id: fields.id, data: joined(fields.data) });
}

function lineFeedAt({ source, end }: Block, from: number): number {
  const at = source.indexOf(lineFeed, from);
  return at < 0 || at > end ? end : at;
}

/** Finds the ends of lines; searches for each terminator once, however many lines there are. */
class LineEnds {
  readonly #bytes: Buffer;
  #nextLf = -1;
  #nextCr = -1;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Where the line that begins at `from` ends. */
  after(from: number): number {
    if (this.#nextLf < from) this.#nextLf = this.#find(lineFeed, from);
    if (this.#nextCr < from) this.#nextCr = this.#find(carriageReturn, from);
    return Math.min(this.#nextLf, this.#nextCr);
  }

  #find(terminator: number, from: number): number {
    const at = this.#bytes.indexOf(terminator, from);
    return at < 0 ? this.#bytes.length : at;
  }
}

function joined(lines: Buffer[] | undefined): Buffer | undefined {
  if (lines === undefined || lines.length === 1) return lines?.[0];
  return Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [newline, line])));
}

function takeLine(fields: Fields, source: Buffer, line: number, stop: number): void {
  // Nearly every line of nearly every stream is "data": recognized without creating a string.
  if (source[line] === 100 && source[line + 1] === 97 && source[line + 2] === 116 && source[line + 3] === 97) {
    if (line + 4 === stop || source[line + 4] === colonCode) {
      fields.data = append(fields.data, fieldValue(source, line + 4, stop));
      return;
    }
  }
  if (source[line] === colonCode) return;
  const colon = source.subarray(line, stop).indexOf(colonCode);
  const at = colon < 0 ? stop : line + colon;
  const field = source.toString("latin1", line, at);
  if (field === "event") fields.name = fieldValue(source, at, stop).toString("utf8");
  else if (field === "id") fields.id = fieldValue(source, at, stop).toString("utf8");
}

/** What follows the colon at `at` (nothing when the line ends there), without one leading space. */
function fieldValue(source: Buffer, at: number, stop: number): Buffer {
  const from = Math.min(at + 1, stop);
  return source.subarray(from < stop && source[from] === space ? from + 1 : from, stop);
}
