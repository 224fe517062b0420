import { type Journal, JournalClosed, type JournalState, type Position } from "@uag/usage/journal/journal";

/** The part of a journal that the simulated code uses. */
type JournalParts = Pick<
  Journal,
  | ("append" | "appendLazy" | "hurry" | "read" | "trim" | "segment" | "start" | "end" | "state" | "check" | "bytes")
  | ("seal" | "destroy" | "ended" | typeof Symbol.asyncDispose)
>;

/** What a journal needs to know about its disk. */
export interface Disk {
  /** Every write fails. */
  readonly full: boolean;
  /** Called when the journal is deleted. */
  readonly deleted: (journal: SimulatedJournal) => void;
}

export const noSpace = (): Error => Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });

const recordsInSegment = 16;
const none = new Uint8Array();

/**
 * A journal whose writes complete when the simulator decides, and whose owner may die after only
 * some of them have completed.
 */
export class SimulatedJournal implements JournalParts {
  readonly #disk: Disk;
  /** Trimmed records are empty. */
  readonly #records: Uint8Array[];
  #gathering: Uint8Array[] = [];
  #done = newGroup();
  #first: number;
  #closed = false;
  state: JournalState = "ok";
  ended = false;

  constructor(disk: Disk, from?: SimulatedJournal) {
    this.#disk = disk;
    this.#records = from === undefined ? [] : [...from.#records];
    this.#first = from === undefined ? 0 : from.#first;
  }

  get waiting(): number {
    return this.#gathering.length;
  }

  get bytes(): number {
    return this.#records.length;
  }

  check(): Promise<{ ok: true }> {
    return Promise.resolve({ ok: true });
  }

  append(payload: Uint8Array): Promise<void> {
    if (this.#closed) return Promise.reject(new JournalClosed());
    this.#gathering.push(Buffer.from(payload));
    return this.#done.promise;
  }

  appendLazy(payload: Uint8Array): Promise<void> {
    if (this.#closed) throw new JournalClosed();
    return this.append(payload);
  }

  hurry(): void {}

  /** Completes the write, or fails it if the disk is full. */
  flush(): void {
    const { resolve, reject } = this.#done;
    if (this.#disk.full) {
      if (this.#gathering.length === 0) return;
      this.state = "failed";
      this.#gathering = [];
      this.#done = newGroup();
      reject(noSpace());
      return;
    }
    this.state = "ok";
    if (this.#gathering.length === 0) return;
    this.#records.push(...this.#gathering);
    this.#gathering = [];
    this.#done = newGroup();
    resolve();
  }

  /** Accepts no more records; resolves when those appended are written, or have failed. */
  async seal(): Promise<void> {
    this.#closed = true;
    if (this.#gathering.length > 0) await this.#done.promise.catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.seal();
    this.ended = true;
  }

  async destroy(): Promise<void> {
    await this.seal();
    this.ended = true;
    this.#disk.deleted(this);
  }

  /** The owner dies during a write: `kept` of the records are on disk, but no caller is notified. */
  tear(kept: number): void {
    this.#records.push(...this.#gathering.slice(0, kept));
    this.#gathering = [];
    this.#done = newGroup();
    this.#closed = true;
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

  /** Like the real one: reads from a position to the end of its segment. */
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

/** Prevents an unhandled rejection if no caller waits for a group of records. */
function newGroup(): PromiseWithResolvers<void> {
  const group = Promise.withResolvers<void>();
  group.promise.catch(() => undefined);
  return group;
}
