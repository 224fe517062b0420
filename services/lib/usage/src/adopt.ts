import { crashPoint } from "@uag/runtime/crash-point";
import type { Abandoned, JournalDirectory } from "./journal/directory.ts";
import type { Journal } from "./journal/journal.ts";
import { type Legacy, readLegacy } from "./recover.ts";
import { retireHolder } from "./retire-holder.ts";
import type { SessionDependencies } from "./session-dependencies.ts";

/** Where an {@link Adopter} looks for journals, and what it reports to. */
export interface AdopterOptions {
  readonly dependencies: SessionDependencies;
  readonly journals: JournalDirectory;
  /**
   * This process's id: keeps the batch ids of an adopted journal distinct from the dead process's
   * own.
   */
  readonly owner: string;
  readonly meters: AdoptionMeters;
  readonly signal: AbortSignal;
}

/** Metrics of adoption. */
interface AdoptionMeters {
  readonly crashed: { inc(by: number): void };
  /** @param oldestSinceMs Unix milliseconds; undefined when no journal is waiting */
  waiting(journals: number, oldestSinceMs: number | undefined): void;
}

const firstDelayMs = 1_000;
const maxDelayMs = 30_000;

/**
 * Publishes the finals that dead processes left on this volume, each journal independently, so one
 * unreadable journal does not block the others.
 */
export class Adopter {
  readonly #options: AdopterOptions;
  /** Unix milliseconds since when each known journal has been waiting. */
  readonly #waiting = new Map<string, number>();
  readonly #working = new Map<string, Promise<void>>();
  #tries = 0;

  constructor(options: AdopterOptions) {
    this.#options = options;
  }

  /**
   * Looks for journals now and then periodically. A failed adoption is retried on the next round.
   */
  async pollForever(everyMs: number): Promise<void> {
    const { dependencies, signal } = this.#options;
    while (!signal.aborted) {
      await this.poll().catch((error: unknown) =>
        dependencies.log.error({ err: error }, "searching for journals of dead processes failed"),
      );
      await dependencies.delay(everyMs, signal);
    }
    await Promise.all(this.#working.values());
  }

  /** Starts adopting every journal whose owner is dead and that is not being adopted already. */
  async poll(): Promise<void> {
    const found = await this.#options.journals.abandoned();
    const ids = new Set(found.map(({ id }) => id));
    for (const id of this.#waiting.keys()) if (!ids.has(id) && !this.#working.has(id)) this.#waiting.delete(id);
    for (const one of found) {
      if (!this.#waiting.has(one.id)) this.#waiting.set(one.id, one.sinceMs);
      if (!this.#working.has(one.id)) this.#begin(one);
    }
    this.#report();
  }

  /** True when no known journal is waiting. */
  get idle(): boolean {
    return this.#waiting.size === 0 && this.#working.size === 0;
  }

  #report(): void {
    const { size } = this.#waiting;
    this.#options.meters.waiting(size, size === 0 ? undefined : Math.min(...this.#waiting.values()));
  }

  #begin(one: Abandoned): void {
    const { log } = this.#options.dependencies;
    const work = this.#adopt(one)
      .then((delivered) => {
        if (!delivered) return;
        this.#waiting.delete(one.id);
        log.info({ holderId: one.id }, "all usage of the adopted journal is applied");
      })
      .catch((error: unknown) => log.error({ err: error, holderId: one.id }, "adopting a journal failed; retrying"))
      .finally(() => {
        this.#working.delete(one.id);
        this.#report();
      });
    this.#working.set(one.id, work);
  }

  /** @returns whether the whole journal has been delivered */
  async #adopt(one: Abandoned): Promise<boolean> {
    const { dependencies, journals } = this.#options;
    // The journal was written under another kernel, so its lock proves nothing here. Billing
    // reports a holder gone only once none of its requests can still be running.
    if (one.verdict === "unsure" && !(await dependencies.billing.isHolderGone({ holderId: one.id })).gone) {
      this.#waiting.delete(one.id);
      return false;
    }
    const journal = await journals.take(one);
    if (journal === undefined) return false;
    try {
      return await this.#deliver(one.id, journal);
    } finally {
      await journal[Symbol.asyncDispose]();
    }
  }

  /**
   * Finals already written are published first: they must not wait for a disk that refuses new
   * writes.
   */
  async #deliver(id: string, journal: Journal): Promise<boolean> {
    const { dependencies, owner, signal } = this.#options;
    const legacy = await readLegacy(journal, dependencies.clock.now());
    let keepSegment = legacy.keepSegment;
    const publisher = dependencies.publisher({
      journal,
      holderId: id,
      batchPrefix: `${id}/${owner}/${++this.#tries}`,
      confirmed: () => dependencies.quiet(journal.trim(Math.min(publisher.keepSegment, keepSegment))),
    });
    const { holderIds, missing } = legacy;
    const about = { holderId: id, crashed: missing.length, bytes: journal.bytes };
    dependencies.log.info(about, "adopted the journal of a dead process");
    if (!(await this.#complete(journal, legacy))) {
      await publisher[Symbol.asyncDispose]();
      return false;
    }
    keepSegment = Number.POSITIVE_INFINITY;
    this.#options.meters.crashed.inc(missing.length);
    crashPoint("adopted");
    return retireHolder(dependencies, { holderIds: holderIds.add(id), journal, publisher }, signal);
  }

  /**
   * Writes a final for every request without one, retrying while the disk refuses; false when the
   * signal aborted it.
   */
  async #complete(journal: Journal, { missing }: Legacy): Promise<boolean> {
    const { dependencies, signal } = this.#options;
    let left = missing;
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      const results = await Promise.allSettled(left.map((final) => journal.append(final)));
      left = left.filter((_, n) => results[n]?.status === "rejected");
      if (left.length === 0) return true;
      if (signal.aborted) return false;
      await dependencies.delay(delayMs, signal);
    }
  }
}
