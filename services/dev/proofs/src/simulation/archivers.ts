import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import { archiveDue } from "@uag/metering/archive/archive";
import { DatabaseClock } from "@uag/mongo/database-clock";
import { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { ObjectStore } from "@uag/runtime/objects/store";
import { duplicate, EventMonths, type Gate, renamed } from "./event-months.ts";

export interface ArchiversOptions {
  readonly random: (below: number) => number;
  /** True time, milliseconds. */
  readonly now: () => number;
  /** The database's time, Unix milliseconds. */
  readonly databaseNow: () => number;
}

/** A process that archives usage; a killed one is never resumed. */
interface Archiver {
  readonly id: number;
  readonly clock: DatabaseClock;
  /** Error of its wall clock, milliseconds. */
  offsetMs: number;
  /** It stands still until then, by the true time. */
  pausedUntil: number;
  /** Resumes it; undefined while it is idle. */
  resume: (() => void) | undefined;
  /** Resolves when it waits or has ended. */
  waits: PromiseWithResolvers<void>;
}

const processes = 2;
/** Shorter than the real one, so that it expires under a process that stands still. */
const leaseMs = 1_000;
/** How a process fails that has lost its lease, or a race against the one that has it. */
const lost = new RegExp(`holds the lease|would be empty|does not hold what the database|${duplicate}|${renamed}`);

/**
 * The real archiver of usage in two processes, under a lease that expires while one of them stands
 * still, and with clocks that are off by up to 400 days. Files are write-once.
 */
export class Archivers {
  readonly months: EventMonths;
  readonly #options: ArchiversOptions;
  readonly #files = new Map<string, Buffer>();
  readonly #archivers: Archiver[] = [];
  #lease = { owner: 0, untilMs: 0 };
  #ids = 0;
  /** Processes that were killed while they archived. */
  killed = 0;
  /** Times that a process failed because it had lost its lease, or a race. */
  fenced = 0;

  constructor(options: ArchiversOptions) {
    this.#options = options;
    this.months = new EventMonths(options.databaseNow);
    for (let n = 0; n < processes; n++) this.#archivers.push(this.#start());
  }

  /** The number of files that are recorded. */
  get files(): number {
    return [...this.months.recorded.values()].reduce((sum, parts) => sum + parts.length, 0);
  }

  #start(): Archiver {
    const { now, databaseNow } = this.#options;
    const archiver: Archiver = {
      id: ++this.#ids,
      offsetMs: 0,
      pausedUntil: 0,
      resume: undefined,
      waits: Promise.withResolvers(),
      clock: new DatabaseClock({
        read: async () => databaseNow(),
        clock: { now: () => databaseNow() + archiver.offsetMs, monotonic: now },
        changed: () => undefined,
      }),
    };
    return archiver;
  }

  get #awake(): Archiver | undefined {
    const awake = this.#archivers.filter(({ pausedUntil }) => pausedUntil <= this.#options.now());
    return awake[this.#options.random(awake.length)];
  }

  /** Lets one of them do its next step. */
  async step(archiver = this.#awake): Promise<void> {
    if (archiver === undefined) return;
    archiver.waits = Promise.withResolvers();
    const { resume } = archiver;
    archiver.resume = undefined;
    if (resume === undefined) this.#begin(archiver);
    else resume();
    await archiver.waits.promise;
  }

  /** Kills one of them, at whatever step. */
  kill(): void {
    const at = this.#options.random(processes);
    if (this.#archivers[at]?.resume !== undefined) this.killed++;
    this.#archivers[at] = this.#start();
  }

  /** Lets one of them stand still, while it archives if one does. */
  pause(ms: number): void {
    const archiver = this.#archivers.find(({ resume }) => resume !== undefined) ?? this.#awake;
    if (archiver !== undefined) archiver.pausedUntil = this.#options.now() + ms;
  }

  /** Sets the clock of one of them. */
  jump(offsetMs: number): void {
    const archiver = this.#archivers[this.#options.random(processes)];
    if (archiver !== undefined) archiver.offsetMs = offsetMs;
  }

  #take({ id }: Archiver): boolean {
    const now = this.#options.databaseNow();
    if (this.#lease.owner !== id && this.#lease.untilMs >= now) return false;
    this.#lease = { owner: id, untilMs: now + leaseMs };
    return true;
  }

  #begin(archiver: Archiver): void {
    if (!this.#take(archiver)) {
      archiver.waits.resolve();
      return;
    }
    const gate: Gate = () =>
      new Promise((resolve) => {
        archiver.resume = resolve;
        archiver.waits.resolve();
      });
    const keep = async (): Promise<void> => {
      await gate();
      if (!this.#take(archiver)) throw new Error("another process holds the lease");
    };
    const store = this.months.storeOf(gate) as never;
    const archive = { store, objects: this.#objects(gate), keepMonths: 0, clock: archiver.clock };
    const events = { archived: () => undefined } as never;
    archiveDue({ ...archive, events }, keep).then(
      () => this.#end(archiver),
      (error: unknown) => this.#failed(archiver, error),
    );
  }

  #end(archiver: Archiver): void {
    if (this.#lease.owner === archiver.id) this.#lease = { owner: 0, untilMs: 0 };
    archiver.waits.resolve();
  }

  /** The first broken promise of an archiver. */
  fault: unknown;

  /** Losing a race is no fault: nothing was recorded. */
  #failed(archiver: Archiver, error: unknown): void {
    if (error instanceof Error && lost.test(error.message)) this.fenced++;
    else this.fault ??= error;
    this.#end(archiver);
  }

  #objects(gate: Gate): ObjectStore {
    return {
      put: async (id, _, body) => {
        const pieces: Buffer[] = [];
        for await (const piece of body) pieces.push(piece);
        await gate();
        assert.ok(!this.#files.has(id), `the file ${id} is written twice`);
        const file = Buffer.concat(pieces);
        this.#files.set(id, file);
        return file.length;
      },
      find: async (id) => {
        await gate();
        const file = this.#files.get(id);
        const read = async (): Promise<Readable> => Readable.from([file as Buffer]);
        return file && { contentType: "", size: file.length, read };
      },
      check: async () => ({ ok: true }),
      [Symbol.asyncDispose]: async () => undefined,
    };
  }

  /** Sets every clock right and archives all that is due. */
  async finish(): Promise<void> {
    for (const archiver of this.#archivers) archiver.offsetMs = 0;
    // One ends what it had begun; another run takes what was left.
    for (const archiver of this.#archivers) {
      while (archiver.resume !== undefined) await this.step(archiver);
      do await this.step(archiver);
      while (archiver.resume !== undefined);
    }
    if (this.fault !== undefined) throw this.fault;
  }

  /** Compares files and rows with the events that metering counted, by request. */
  check(counted: ReadonlyMap<string, bigint>): void {
    const found = new Map<string, bigint>();
    for (const parts of this.months.recorded.values())
      for (const { key } of parts)
        for (const { requestId, costNanoUsd } of this.#read(key)) {
          assert.ok(!found.has(requestId), `${requestId} is archived twice`);
          found.set(requestId, costNanoUsd);
        }
    assert.deepEqual([...this.months.left()], [], "events of a month that is over are not archived");
    assert.deepEqual(sorted(found), sorted(counted), "the archive has what metering counted");
  }

  #read(key: string): UsageEvent[] {
    const text = gunzipSync(this.#files.get(key) ?? Buffer.alloc(0)).toString();
    return text
      .trimEnd()
      .split("\n")
      .map((line) => UsageEvent.fromJSON(JSON.parse(line)));
  }
}

const sorted = (costs: ReadonlyMap<string, bigint>): [string, bigint][] =>
  [...costs].sort(([one], [other]) => (one < other ? -1 : 1));
