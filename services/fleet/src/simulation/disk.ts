import type { Journal, Position } from "@uag/kit/journal/journal.ts";

/** What the code that is simulated uses of a journal. */
export type JournalParts = Pick<
  Journal,
  "append" | "appendLazy" | "hurry" | "read" | "trim" | "segment" | "start" | "end"
>;

const recordsInSegment = 16;
const none = new Uint8Array();

/** A journal whose writes end when the simulator says so, and whose owner may die with some of them done. */
export class SimulatedJournal implements JournalParts {
  /** Trimmed records are empty. */
  readonly #records: Uint8Array[] = [];
  #gathering: Uint8Array[] = [];
  #done = Promise.withResolvers<void>();
  #first = 0;
  destroyed = false;

  get waiting(): number {
    return this.#gathering.length;
  }

  append(payload: Uint8Array): Promise<void> {
    this.#gathering.push(Buffer.from(payload));
    return this.#done.promise;
  }

  appendLazy(payload: Uint8Array): Promise<void> {
    return this.append(payload);
  }

  hurry(): void {}

  /** The write ends. */
  flush(): void {
    if (this.#gathering.length === 0) return;
    this.#records.push(...this.#gathering);
    this.#gathering = [];
    const { resolve } = this.#done;
    this.#done = Promise.withResolvers();
    resolve();
  }

  /** The owner dies in mid-write: so many of the records are there, and nobody hears of them. */
  tear(kept: number): void {
    this.#records.push(...this.#gathering.slice(0, kept));
    this.#gathering = [];
    this.#done = Promise.withResolvers();
  }

  get segment(): number {
    return Math.floor(this.#records.length / recordsInSegment);
  }

  get start(): Position {
    return { segment: this.#first, offset: 0 };
  }

  get end(): Position {
    const { length } = this.#records;
    return { segment: Math.floor(length / recordsInSegment), offset: length % recordsInSegment };
  }

  /** As the real one: on from a place, within its segment. */
  read(from: Position, visit: (payload: Buffer, end: Position) => boolean): Promise<Position> {
    const segment = Math.max(this.#first, from.segment);
    let offset = segment === from.segment ? from.offset : 0;
    const { end } = this;
    const until = segment < end.segment ? recordsInSegment : end.offset;
    if (offset >= until) return Promise.resolve(segment < end.segment ? { segment: segment + 1, offset: 0 } : from);
    for (let goesOn = true; goesOn && offset < until; ) {
      const record = this.#records[segment * recordsInSegment + offset] as Buffer;
      goesOn = visit(record, { segment, offset: ++offset });
    }
    return Promise.resolve({ segment, offset });
  }

  trim(segment: number): Promise<void> {
    for (; this.#first < Math.min(segment, this.end.segment); this.#first++)
      this.#records.fill(none, this.#first * recordsInSegment, (this.#first + 1) * recordsInSegment);
    return Promise.resolve();
  }
}
