import { randomBytes } from "node:crypto";
import { Pace } from "@uag/runtime/pace";
import { joined } from "@uag/untrusted/joined";
import { type UpstreamFailure, unusableResponse } from "../failure.ts";
import type { ReplayedResponse } from "../generation.ts";

const quote = 34;
const comma = 44;
const backslash = 92;

/**
 * The entries of long lists, and long strings, kept as raw JSON while the rest of a response is
 * parsed and written: each list has one string, its mark, in place of its entries, and each string
 * is its mark.
 */
export class CutLists {
  /** Set with the first list, as most responses have none. Unguessable, so it occurs nowhere else. */
  #mark = "";
  readonly #lists: (readonly Buffer[])[] = [];
  readonly #placed = new Set<number>();
  /** The strings among them, without quotes, by mark. */
  readonly #texts = new Map<string, Buffer>();

  /** @returns the mark, a list's only entry until it is restored */
  add(entries: readonly Buffer[]): string {
    this.#mark ||= `cut list ${randomBytes(12).toString("hex")} `;
    return `${this.#mark}${this.#lists.push(entries) - 1}`;
  }

  /**
   * @param text characters of a string that has no escapes, such as base64
   * @returns the mark, in place of the string until it is restored
   */
  addText(text: Buffer): string {
    const mark = this.add([Buffer.from('"'), text, Buffer.from('"')]);
    this.#texts.set(mark, text);
    return mark;
  }

  /** The string of a mark; undefined for any other text. */
  textOf(mark: string): Buffer | undefined {
    return this.#texts.get(mark);
  }

  /** A copy of a parsed value with its strings in place of their marks, in turns of the event loop. */
  async withTexts<T>(value: T): Promise<T> {
    const pace = new Pace();
    const texts = new Map<string, string>();
    for (const [mark, text] of this.#texts) {
      texts.set(mark, text.toString("latin1"));
      if (pace.isOver) await pace.rest();
    }
    return (texts.size === 0 ? value : withTexts(value, texts)) as T;
  }

  /**
   * Puts the entries in place of their marks, in turns of the event loop. A list's entries are placed
   * once: one that is written again, such as at the end of a stream, is empty there.
   * @throws {UpstreamFailure} `transient` when a mark is part of a text
   */
  async restore(written: Buffer): Promise<Buffer> {
    if (this.#lists.length === 0) return written;
    const mark = Buffer.from(this.#mark);
    const pieces: Buffer[] = [];
    const pace = new Pace();
    let at = 0;
    for (let found = written.indexOf(mark); found >= 0; found = written.indexOf(mark, at)) {
      const end = written.indexOf(quote, found);
      if (written[found - 1] !== quote || written[end - 1] === backslash) throw misplaced();
      const index = Number(written.toString("latin1", found + mark.length, end));
      const isPlaced = this.#placed.has(index);
      const follows = written[found - 2] === comma;
      pieces.push(written.subarray(at, isPlaced && follows ? found - 2 : found - 1));
      if (!isPlaced) pieces.push(...(this.#lists[index] as readonly Buffer[]));
      if (!this.#texts.has(`${this.#mark}${index}`)) this.#placed.add(index);
      at = isPlaced && !follows && written[end + 1] === comma ? end + 2 : end + 1;
      if (pace.isOver) await pace.rest();
    }
    return await joined([...pieces, written.subarray(at)]);
  }
}

/** A response of which parts are kept apart. */
export interface SlimResponse {
  /** With marks in place of those parts. */
  readonly body: Buffer;
  readonly lists: CutLists;
}

function withTexts(value: unknown, texts: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return texts.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => withTexts(item, texts));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withTexts(member, texts)]));
}

/** A replayed response with all that was cut out of it. */
export async function restored(replayed: ReplayedResponse, lists: CutLists): Promise<ReplayedResponse> {
  const output: Buffer[] = [];
  for (const piece of replayed.output) output.push(await lists.restore(piece));
  return { ...replayed, output, closing: await lists.restore(replayed.closing) };
}

function misplaced(): UpstreamFailure {
  return unusableResponse("the response has log probabilities or data inside a text");
}
