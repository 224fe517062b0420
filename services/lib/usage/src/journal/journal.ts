import { randomBytes } from "node:crypto";
import { rename, rm, stat } from "node:fs/promises";
import { crashPoint } from "@uag/runtime/crash-point";
import type { HealthCheck } from "@uag/runtime/health";
import { diskPoint } from "./disk-point.ts";
import { headerBytes, maxPayloadBytes } from "./frame.ts";
import { Group } from "./group.ts";
import { cutTornTail, type Damage, listSegments, readRecords, segmentPath, segmentSalt } from "./segment.ts";
import { type OpenFile, SegmentWriter } from "./segment-writer.ts";

export type { Damage } from "./segment.ts";

/** A position between two records. */
export interface Position {
  readonly segment: number;
  readonly offset: number;
}

/**
 * `full`: at its maximum size, accept no new work. `failed`: the disk refuses writes; retried
 * automatically.
 */
export type JournalState = "ok" | "full" | "failed";

/** Sizes of a journal, and its callbacks for damage and failure. */
export interface JournalSettings {
  /** A segment of this size is closed and the next one begun, bytes. Default 8 MiB. */
  readonly segmentBytes?: number;
  /**
   * At this size the journal is `full`, bytes; further appends are still written. Default 1 GiB.
   */
  readonly maxBytes?: number;
  /** Called for bytes that should be records but are not; they are skipped and left in place. */
  readonly damaged: (damage: Damage) => void;
  /** Called when the disk starts to refuse writes. */
  readonly failed: (error: unknown) => void;
  readonly openFile?: OpenFile;
}

const probeMs = 1_000;
const lazyMs = 50;
const chunkBytes = 1024 * 1024;

/** Rejects an append to a journal that is sealed or closed. */
export class JournalClosed extends Error {
  override readonly name = "JournalClosed";
}

/**
 * An append-only log of opaque records in segments. Concurrent appends share one synchronous write
 * (`O_DSYNC`: it returns once the data is on disk); meanwhile the next group gathers.
 */
export class Journal implements AsyncDisposable {
  readonly #dir: string;
  readonly #settings: JournalSettings;
  readonly #salt: number;
  /** Size of each segment on disk, by ascending number. */
  readonly #sizes = new Map<number, number>();
  #bytes = 0;
  #last = 0;
  #active: SegmentWriter | undefined;
  #failure: string | undefined;
  #gathering: Group;
  #spare: Group | undefined;
  #flushing: Promise<void> | undefined;
  #lazyTimer: NodeJS.Timeout | undefined;
  #probeTimer: NodeJS.Timeout | undefined;
  #closed = false;
  #ended = false;
  #onGrown: () => void = () => {};

  private constructor(dir: string, settings: JournalSettings, salt: number) {
    this.#dir = dir;
    this.#settings = settings;
    this.#salt = salt;
    this.#gathering = new Group(salt);
  }

  /**
   * Opens the journal in `dir`, an existing directory, and truncates a torn tail of the last
   * segment.
   */
  static async open(dir: string, settings: JournalSettings): Promise<Journal> {
    const segments = await listSegments(dir);
    const salts = await Promise.all(segments.map((number) => segmentSalt(segmentPath(dir, number))));
    const known = salts.find((salt) => salt !== undefined);
    const journal = new Journal(dir, settings, known ?? randomBytes(4).readUInt32LE(0));
    for (const number of segments) await journal.#adoptSegment(number, known !== undefined, number === segments.at(-1));
    return journal;
  }

  async #adoptSegment(number: number, readable: boolean, isLast: boolean): Promise<void> {
    const path = segmentPath(this.#dir, number);
    let { size } = await stat(path);
    if (!readable && size > headerBytes) {
      this.#settings.damaged({ path, offset: 0, bytes: size });
      await rename(path, `${path}.bad`);
      return;
    }
    if (isLast) ({ size } = await cutTornTail(path, this.#salt));
    this.#grow(number, size);
    this.#last = number;
  }

  /** True once it is closed permanently, and deleted if requested. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Bytes on disk. */
  get bytes(): number {
    return this.#bytes;
  }

  get state(): JournalState {
    if (this.#failure !== undefined) return "failed";
    return this.#bytes + this.#gathering.length >= (this.#settings.maxBytes ?? 1024 ** 3) ? "full" : "ok";
  }

  /** Records appended now go into this segment or a later one. */
  get segment(): number {
    return this.#last;
  }

  /** The start of the oldest remaining segment. */
  get start(): Position {
    return { segment: this.#sizes.keys().next().value ?? this.#last, offset: 0 };
  }

  /** The end of the durable records. */
  get end(): Position {
    return { segment: this.#last, offset: this.#sizes.get(this.#last) ?? 0 };
  }

  /** Calls `listener` whenever more records become durable; replaces the previous listener. */
  onGrown(listener: () => void): void {
    this.#onGrown = listener;
  }

  readonly check: HealthCheck = async () => {
    const { state } = this;
    if (state === "ok") return { ok: true };
    return {
      ok: false,
      reason: state === "full" ? "the journal is full" : `writing to the journal failed: ${this.#failure}`,
    };
  };

  /**
   * Resolves when the record is on disk.
   * @throws the disk's error, and the record may or may not be written. @throws {JournalClosed} it
   * is not written
   */
  append(payload: Uint8Array): Promise<void> {
    const refusal = this.#refusalOf(payload);
    if (refusal !== undefined) return Promise.reject(refusal);
    this.#gathering.add(payload);
    this.#flushing ??= this.#flush();
    return this.#gathering.done;
  }

  /**
   * Appends without a write of its own: joins the next group, within 50 ms. Lost if the disk
   * refuses it. Resolves like `append`; awaiting it is optional, so an invalid append throws
   * synchronously.
   */
  appendLazy(payload: Uint8Array): Promise<void> {
    const refusal = this.#refusalOf(payload);
    if (refusal !== undefined) throw refusal;
    this.#gathering.add(payload);
    this.#lazyTimer ??= setTimeout(() => {
      this.#lazyTimer = undefined;
      this.hurry();
    }, lazyMs).unref();
    return this.#gathering.done;
  }

  /** Writes lazily appended records now. */
  hurry(): void {
    if (this.#gathering.length > 0) this.#flushing ??= this.#flush();
  }

  #refusalOf({ length }: Uint8Array): Error | undefined {
    if (this.#closed) return new JournalClosed("the journal is closed");
    return length === 0 || length > maxPayloadBytes ? new RangeError("a record must have 1 byte to 16 MiB") : undefined;
  }

  async #flush(): Promise<void> {
    // Waits one turn of the event loop, so that all appends of this turn share the write.
    await new Promise(setImmediate);
    while (this.#gathering.length > 0) {
      const group = this.#gathering;
      this.#gathering = this.#spare ?? new Group(this.#salt);
      this.#spare = undefined;
      try {
        await this.#write(group);
        group.resolve();
      } catch (error) {
        await this.#fail(error);
        group.reject(error);
      }
      this.#spare = group.reset();
    }
    this.#flushing = undefined;
  }

  async #write(group: Group): Promise<void> {
    if (this.#active === undefined || this.#active.size >= (this.#settings.segmentBytes ?? 8 * 1024 ** 2))
      await this.#rotate();
    const active = this.#active as unknown as SegmentWriter;
    await active.append(group.bytes);
    crashPoint("journalled");
    this.#grow(active.number, active.size);
    this.#failure = undefined;
    this.#onGrown();
  }

  /** Starts the next segment. */
  async #rotate(): Promise<void> {
    const previous = this.#active;
    this.#active = undefined;
    await previous?.close();
    const { openFile } = this.#settings;
    const begun = { dir: this.#dir, number: this.#last + 1, salt: this.#salt, openFile };
    this.#active = await SegmentWriter.begin(begun);
    this.#last = this.#active.number;
    this.#grow(this.#last, this.#active.size);
  }

  /** Continues in a new segment, retried periodically until it can be written. */
  async #fail(error: unknown): Promise<void> {
    if (this.#failure === undefined) this.#settings.failed(error);
    this.#failure = String(error);
    const active = this.#active;
    this.#active = undefined;
    await active?.abandon(this.#settings.failed);
    this.#probeTimer ??= setTimeout(() => {
      this.#probeTimer = undefined;
      this.#flushing ??= this.#probe();
    }, probeMs).unref();
  }

  async #probe(): Promise<void> {
    try {
      await this.#rotate();
      this.#failure = undefined;
    } catch (error) {
      await this.#fail(error);
    }
    await this.#flush();
  }

  #grow(segment: number, size: number): void {
    this.#bytes += size - (this.#sizes.get(segment) ?? 0);
    this.#sizes.set(segment, size);
  }

  /**
   * Visits durable records starting at `from`, about 1 MiB at a time.
   * @param visit gets each record (a view, valid during the call) and where it ends; false stops
   * after it
   * @returns where to continue; equal to `from` when no further record exists yet
   */
  async read(from: Position, visit: (payload: Buffer, end: Position) => boolean): Promise<Position> {
    const [first] = this.#sizes.keys();
    if (first === undefined) return from;
    const segment = Math.max(first, from.segment);
    const end = this.#sizes.get(segment) ?? 0;
    const offset = segment === from.segment ? from.offset : 0;
    if (offset >= end) return segment < this.#last ? { segment: segment + 1, offset: 0 } : from;
    const next = await readRecords({
      path: segmentPath(this.#dir, segment),
      salt: this.#salt,
      offset,
      end,
      chunkBytes,
      visit: (payload, at) => visit(payload, { segment, offset: at }),
      damaged: this.#settings.damaged,
    });
    return { segment, offset: next };
  }

  /** Deletes the segments before `segment`. */
  async trim(segment: number): Promise<void> {
    for (const [number, size] of this.#sizes) {
      if (number >= segment || number === this.#last) return;
      this.#sizes.delete(number);
      this.#bytes -= size;
      diskPoint("remove");
      await rm(segmentPath(this.#dir, number), { force: true });
    }
  }

  /** Refuses further appends; resolves when every earlier one is on disk or was rejected by it. */
  async seal(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#lazyTimer);
    this.#flushing ??= this.#flush();
    await this.#flushing;
  }

  async #close(): Promise<void> {
    await this.seal();
    clearTimeout(this.#probeTimer);
    await this.#active?.close();
    this.#active = undefined;
  }

  /** Writes all pending records, lazy ones included, and closes. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close().finally(() => {
      this.#ended = true;
    });
  }

  /** Closes and deletes the whole journal. */
  async destroy(): Promise<void> {
    try {
      await this.#close();
      diskPoint("remove");
      await rm(this.#dir, { recursive: true, force: true });
    } finally {
      this.#ended = true;
    }
  }
}
