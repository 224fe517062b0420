/** A line of an input file. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** Without its end; undefined for a line that is too long, whose bytes are not kept. */
  readonly bytes: Buffer | undefined;
  /** Where the next line begins, bytes from the beginning of the file. */
  readonly end: number;
}

/** Where reading begins, and its bound. */
export interface LineOptions {
  readonly offset: number;
  /** The number of the first line there. */
  readonly line: number;
  /** Longest line that is kept, bytes. */
  readonly maxBytes: number;
}

const newline = 0x0a;

/** Splits a file's bytes into its lines; one that is longer than the bound is never in memory. */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  { offset, line, maxBytes }: LineOptions,
): AsyncGenerator<Line> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let length = 0;
  let at = offset;
  let number = line;
  const add = (piece: Buffer): void => {
    length += piece.length;
    if (length > maxBytes) {
      held = [];
      heldBytes = 0;
    } else if (piece.length > 0) {
      held.push(piece);
      heldBytes += piece.length;
    }
  };
  const taken = (): Line => {
    const found = { number, bytes: length > maxBytes ? undefined : Buffer.concat(held, heldBytes), end: at };
    [held, heldBytes, length] = [[], 0, 0];
    number++;
    return found;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      add(chunk.subarray(start, end));
      at += end + 1 - start;
      start = end + 1;
      yield taken();
    }
    add(chunk.subarray(start));
    at += chunk.length - start;
  }
  if (length > 0) yield taken();
}

/** Whether a line has only white space: such lines are skipped. */
export function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
