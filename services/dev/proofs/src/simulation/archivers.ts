import { DatabaseClock } from "@uag/mongo/database-clock";
import type { Gate } from "./archive-files.ts";

/** The clocks and the random numbers of a world. */
export interface ArchiveWorld {
  readonly random: (below: number) => number;
  /** True time, milliseconds. */
  readonly now: () => number;
  /** The database's time, Unix milliseconds. */
  readonly databaseNow: () => number;
}

/** A process's connections for archiving. */
interface ArchiverProcess {
  readonly clock: DatabaseClock;
  readonly gate: Gate;
  /** Renews the lease. @throws when another process holds it */
  readonly keep: () => Promise<void>;
}

export interface ArchiversOptions extends ArchiveWorld {
  /** Archives all that is due. */
  readonly archive: (process: ArchiverProcess) => Promise<unknown>;
  /** Matches the error of a process that has lost its lease, or a race against the lease's holder. */
  readonly lost: RegExp;
}

/** A process that archives; a killed one is never resumed. */
interface Archiver {
  readonly id: number;
  readonly clock: DatabaseClock;
  /** Error of its wall clock, milliseconds. */
  offsetMs: number;
  /** Paused until this true time. */
  pausedUntil: number;
  /** Resumes it; undefined while it is idle. */
  resume: (() => void) | undefined;
  /** Resolves when it waits for its gate or has ended. */
  waits: PromiseWithResolvers<void>;
}

const processes = 2;
/** Shorter than the real one, so that it expires while a process is paused. */
export const leaseMs = 1_000;
const leaseLost = "another process holds the lease";

/**
 * A real archiver in two processes, under a lease that expires while one of them is paused, with
 * clock errors of up to 400 days.
 */
export class Archivers {
  readonly #options: ArchiversOptions;
  readonly #archivers: Archiver[] = [];
  #lease = { owner: 0, untilMs: 0 };
  #ids = 0;
  /** Processes that were killed while they archived. */
  killed = 0;
  /** Times that a process failed because it had lost its lease, or a race. */
  fenced = 0;
  /** The first violation of an archiver. */
  fault: unknown;

  constructor(options: ArchiversOptions) {
    this.#options = options;
    for (let n = 0; n < processes; n++) this.#archivers.push(this.#start());
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

  /** Runs the next step of one process. */
  async step(archiver = this.#awake): Promise<void> {
    if (archiver === undefined) return;
    archiver.waits = Promise.withResolvers();
    const { resume } = archiver;
    archiver.resume = undefined;
    if (resume === undefined) this.#begin(archiver);
    else resume();
    await archiver.waits.promise;
  }

  /** Kills one process, at any step. */
  kill(): void {
    const at = this.#options.random(processes);
    if (this.#archivers[at]?.resume !== undefined) this.killed++;
    this.#archivers[at] = this.#start();
  }

  /** Pauses one process, preferably one that is archiving. */
  pause(ms: number): void {
    const archiver = this.#archivers.find(({ resume }) => resume !== undefined) ?? this.#awake;
    if (archiver !== undefined) archiver.pausedUntil = this.#options.now() + ms;
  }

  /** Sets the clock of one process. */
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
      if (!this.#take(archiver)) throw new Error(leaseLost);
    };
    this.#options.archive({ clock: archiver.clock, gate, keep }).then(
      () => this.#end(archiver),
      (error: unknown) => this.#failed(archiver, error),
    );
  }

  #end(archiver: Archiver): void {
    if (this.#lease.owner === archiver.id) this.#lease = { owner: 0, untilMs: 0 };
    archiver.waits.resolve();
  }

  /** Losing a race is not a fault, because nothing was recorded. */
  #failed(archiver: Archiver, error: unknown): void {
    const { message = "" } = error instanceof Error ? error : {};
    if (message === leaseLost || this.#options.lost.test(message)) this.fenced++;
    else this.fault ??= error;
    this.#end(archiver);
  }

  /** Sets every clock right and archives all that is due; every lease of a dead process has expired. */
  async finish(): Promise<void> {
    for (const archiver of this.#archivers) archiver.offsetMs = 0;
    // The first run completes what was started; the second archives the rest.
    for (const archiver of this.#archivers) {
      while (archiver.resume !== undefined) await this.step(archiver);
      do await this.step(archiver);
      while (archiver.resume !== undefined);
    }
    if (this.fault !== undefined) throw this.fault;
  }
}
