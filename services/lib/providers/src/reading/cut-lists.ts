import { randomBytes } from "node:crypto";
import { joined } from "@uag/untrusted/joined";
import { type UpstreamFailure, unusableResponse } from "../failure.ts";

const quote = 34;
const comma = 44;
const backslash = 92;

/**
 * The entries of long lists, kept as raw JSON while the rest of a response is parsed and written:
 * each list has one string, its mark, in place of its entries.
 */
export class CutLists {
  /** Unguessable for an upstream, so it occurs nowhere else. */
  readonly #mark = `cut list ${randomBytes(12).toString("hex")} `;
  readonly #lists: (readonly Buffer[])[] = [];
  readonly #placed = new Set<number>();

  /** @returns the mark, a list's only entry until it is restored */
  add(entries: readonly Buffer[]): string {
    return `${this.#mark}${this.#lists.push(entries) - 1}`;
  }

  /**
   * Puts the entries in place of their marks, in turns of the event loop. Entries are placed once:
   * a list that is written again, such as at the end of a stream, is empty there.
   * @throws {UpstreamFailure} `transient` when a mark is part of a text
   */
  async restore(written: Buffer): Promise<Buffer> {
    if (this.#lists.length === 0) return written;
    const mark = Buffer.from(this.#mark);
    const pieces: Buffer[] = [];
    let at = 0;
    for (let found = written.indexOf(mark); found >= 0; found = written.indexOf(mark, at)) {
      const end = written.indexOf(quote, found);
      if (written[found - 1] !== quote || written[end - 1] === backslash) throw misplaced();
      const index = Number(written.toString("latin1", found + mark.length, end));
      const isPlaced = this.#placed.has(index);
      const follows = written[found - 2] === comma;
      pieces.push(written.subarray(at, isPlaced && follows ? found - 2 : found - 1));
      if (!isPlaced) pieces.push(...(this.#lists[index] as readonly Buffer[]));
      this.#placed.add(index);
      at = isPlaced && !follows && written[end + 1] === comma ? end + 2 : end + 1;
    }
    return await joined([...pieces, written.subarray(at)]);
  }
}

function misplaced(): UpstreamFailure {
  return unusableResponse("the response has log probabilities inside a text");
}
