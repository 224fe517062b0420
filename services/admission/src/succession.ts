import type { Journal } from "@uag/journal/journal.ts";
import type { HealthCheck } from "@uag/kit/health.ts";
import { HolderSession } from "./holder-session.ts";
import { outOfReach } from "./refusals.ts";
import { retireHolder, until } from "./retire-holder.ts";
import type { Setting } from "./setting.ts";

/** What a process passes on to the holder sessions that follow one another in it. */
export interface SuccessionOptions {
  readonly setting: Setting;
  /** Opens the journal of a new holder. */
  readonly create: (holderId: string) => Promise<Journal>;
  readonly newHolderId: () => string;
  /** Grants that nobody used for this long go back. */
  readonly idleMs: number;
  /** Fires when this process is about to stop. */
  readonly signal: AbortSignal;
}

const firstRestMs = 100;
const maxRestMs = 5_000;
/**
 * Without a holder for this long the process is better started anew: it may be what is wrong, e.g.
 * out of descriptors.
 */
const hopelessMs = 60_000;
const publishOnStopMs = 5_000;

/**
 * The holders that this process is, one after another: the one that admits, and those before it,
 * which billing has fenced and which bring home what they have.
 */
export class Succession {
  readonly #options: SuccessionOptions;
  readonly #past = new Set<HolderSession>();
  readonly #work = new Set<Promise<void>>();
  #current: HolderSession | undefined;
  #attempt: Promise<boolean> | undefined;
  /** Why there is none that admits. */
  #refusal: { readonly sinceMs: number; readonly error: unknown } | undefined;
  #tickedAt: number;

  constructor(options: SuccessionOptions) {
    this.#options = options;
    this.#tickedAt = options.setting.clock.monotonic();
  }

  /** The one that admits; undefined while none could be opened. */
  get current(): HolderSession | undefined {
    return this.#current;
  }

  get stopping(): boolean {
    return this.#options.signal.aborted;
  }

  get all(): readonly HolderSession[] {
    return this.#current === undefined ? [...this.#past] : [this.#current, ...this.#past];
  }

  /**
   * Opens the first; resolves when it is open, or when the disk has refused it once: it is tried
   * until it succeeds.
   */
  async begin(holderId: string): Promise<void> {
    this.#run(this.#open(holderId));
    await this.#attempt;
  }

  /**
   * What an attempt that failed left on the disk is the adopter's from then on, so each has an id
   * of its own.
   */
  async #open(firstId: string): Promise<void> {
    const { setting, newHolderId, signal } = this.#options;
    let restMs = firstRestMs;
    for (let id = firstId; !signal.aborted; id = newHolderId(), restMs = Math.min(2 * restMs, maxRestMs)) {
      this.#attempt = this.#tryToOpen(id).finally(() => {
        this.#attempt = undefined;
      });
      if (await this.#attempt) return;
      await setting.rest(restMs, signal);
    }
  }

  async #tryToOpen(holderId: string): Promise<boolean> {
    const { setting, create } = this.#options;
    try {
      const journal = await create(holderId);
      this.#current = new HolderSession(setting, { holderId, journal, fenced: (by) => this.succeed(by) });
    } catch (error) {
      this.#refusal = { sinceMs: this.#refusal?.sinceMs ?? setting.clock.monotonic(), error };
      setting.log.error({ err: error, holderId }, "cannot open a usage journal: nothing is admitted");
      return false;
    }
    this.#refusal = undefined;
    await this.#current.lease.beat();
    return true;
  }

  /** Goes on as a new holder in place of the one that billing has fenced. */
  succeed(fenced: HolderSession): void {
    if (fenced !== this.#current || this.#attempt !== undefined || this.#options.signal.aborted) return;
    this.#current = undefined;
    fenced.end();
    this.#run(this.#open(this.#options.newHolderId()));
    this.#run(this.#retire(fenced));
  }

  async #retire(fenced: HolderSession): Promise<void> {
    const { setting, signal } = this.#options;
    this.#past.add(fenced);
    try {
      if (await until(() => fenced.open.size === 0, setting, signal))
        await retireHolder(setting, { ...fenced, holderIds: [fenced.holderId] }, signal);
    } finally {
      this.#past.delete(fenced);
    }
  }

  #run(work: Promise<void>): void {
    const watched = work.finally(() => this.#work.delete(watched));
    this.#work.add(watched);
    this.#options.setting.quiet(watched);
  }

  /**
   * The one that admits, its lease renewed if it had run out.
   * @throws {GatewayError} `service_unavailable` when none could be opened, or billing does not
   * answer
   */
  async live(): Promise<HolderSession> {
    const { lease } = await this.#opened();
    if (!lease.live) await lease.beat();
    // Billing may have fenced it at that.
    const current = await this.#opened();
    if (!current.lease.live) throw outOfReach(new Error("billing has not renewed this process's lease"));
    return current;
  }

  async #opened(): Promise<HolderSession> {
    if (this.#options.signal.aborted) throw outOfReach(new Error("this process is stopping"));
    await this.#attempt;
    if (this.#current === undefined) throw outOfReach(this.#refusal?.error);
    return this.#current;
  }

  /** About once a second. */
  advance(): void {
    const now = this.#options.setting.clock.monotonic();
    const elapsedMs = now - this.#tickedAt;
    this.#tickedAt = now;
    this.#current?.advance(elapsedMs, this.#options.idleMs);
    for (const fenced of this.#past) fenced.advance(elapsedMs, 0);
  }

  /**
   * Others need this account's money: the fenced ones may have some too, from requests that ended
   * meanwhile.
   */
  recall(accountId: string): void {
    for (const session of this.all) session.recall(accountId);
  }

  recallKey(keyId: string): void {
    for (const session of this.all) session.recallKey(keyId);
  }

  /** Whether requests can be admitted. */
  readonly check: HealthCheck = async () => {
    if (this.#current === undefined)
      return { ok: false, reason: `no usage journal could be opened: ${this.#refusal?.error}` };
    const { journal, lease } = this.#current;
    const journalHealth = await journal.check();
    if (!journalHealth.ok) return journalHealth;
    return lease.live ? { ok: true } : { ok: false, reason: "billing has not renewed this process's lease" };
  };

  /** Whether this process may yet come to admit requests by itself. */
  readonly alive: HealthCheck = async () => {
    if (this.#refusal === undefined) return { ok: true };
    const forMs = this.#options.setting.clock.monotonic() - this.#refusal.sinceMs;
    if (forMs < hopelessMs) return { ok: true };
    return { ok: false, reason: `no usage journal could be opened for ${Math.round(forMs / 1_000)} s` };
  };

  /**
   * Waits for open requests and for what is on its way; the rest stays on disk for the next start.
   * Call it when the signal has fired.
   */
  async stop(stopMs: number): Promise<void> {
    const current = this.#current;
    if (current !== undefined) await this.#stop(current, stopMs);
    await Promise.all(this.#work);
  }

  async #stop(current: HolderSession, stopMs: number): Promise<void> {
    const { setting } = this.#options;
    const settled = await until(() => current.open.size === 0, setting, AbortSignal.timeout(stopMs));
    current.end();
    const publishing = AbortSignal.timeout(publishOnStopMs);
    await until(() => current.grantReturns.idle, setting, publishing);
    if (settled) {
      await retireHolder(setting, { ...current, holderIds: [current.holderId] }, publishing);
    } else {
      // Requests that are still open keep the journal: the next process gives them their final.
      await current.publisher[Symbol.asyncDispose]();
      await current.journal[Symbol.asyncDispose]();
    }
  }
}
