import type { HealthCheck } from "@uag/runtime/health";
import { HolderSession } from "./holder-session.ts";
import type { Journal } from "./journal/journal.ts";
import { outOfReach } from "./refusals.ts";
import { drained, retireHolder, until } from "./retire-holder.ts";
import type { SessionDependencies } from "./session-dependencies.ts";

/** What a process shares among its successive holder sessions. */
export interface SuccessionOptions {
  readonly dependencies: SessionDependencies;
  /** Opens a new holder's journal. */
  readonly create: (holderId: string) => Promise<Journal>;
  readonly newHolderId: () => string;
  /** Grants unused for this long are returned, milliseconds. */
  readonly idleMs: number;
  /** A graceful stop leaves the journal on disk for the next start. Default: it deletes it. */
  readonly keepsJournal?: boolean;
  /** Fires when this process is about to stop. */
  readonly signal: AbortSignal;
}

const firstDelayMs = 100;
const maxDelayMs = 5_000;
/**
 * After this long without a holder the process had better restart: it may be the cause itself, e.g.
 * out of file descriptors.
 */
const hopelessMs = 60_000;
const publishOnStopMs = 5_000;

/**
 * The process's successive holder sessions: the current one, which admits, and earlier ones that
 * billing has fenced and that are still delivering their finals.
 */
export class Succession {
  readonly #options: SuccessionOptions;
  readonly #past = new Set<HolderSession>();
  readonly #work = new Set<Promise<void>>();
  #current: HolderSession | undefined;
  #attempt: Promise<boolean> | undefined;
  /** Why no session is open. */
  #refusal: { readonly sinceMs: number; readonly error: unknown } | undefined;
  #tickedAt: number;

  constructor(options: SuccessionOptions) {
    this.#options = options;
    this.#tickedAt = options.dependencies.clock.monotonic();
  }

  /** The session that admits; undefined while none could be opened. */
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
   * Opens the first session; resolves when it is open or the disk has refused it once. It is
   * retried until it succeeds.
   */
  async begin(holderId: string): Promise<void> {
    this.#run(this.#open(holderId));
    await this.#attempt;
  }

  /** Each attempt has an id of its own: what a failed one left on disk belongs to the adopter. */
  async #open(firstId: string): Promise<void> {
    const { dependencies, newHolderId, signal } = this.#options;
    let delayMs = firstDelayMs;
    for (let id = firstId; !signal.aborted; id = newHolderId(), delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      this.#attempt = this.#tryToOpen(id).finally(() => {
        this.#attempt = undefined;
      });
      if (await this.#attempt) return;
      await dependencies.delay(delayMs, signal);
    }
  }

  async #tryToOpen(holderId: string): Promise<boolean> {
    const { dependencies, create } = this.#options;
    try {
      const journal = await create(holderId);
      this.#current = new HolderSession(dependencies, { holderId, journal, fenced: (by) => this.succeed(by) });
    } catch (error) {
      this.#refusal = { sinceMs: this.#refusal?.sinceMs ?? dependencies.clock.monotonic(), error };
      dependencies.log.error({ err: error, holderId }, "opening a usage journal failed; admitting no requests");
      return false;
    }
    this.#refusal = undefined;
    await this.#current.lease.beat();
    return true;
  }

  /** Replaces the session that billing has fenced with a new one. */
  succeed(fenced: HolderSession): void {
    if (fenced !== this.#current || this.#attempt !== undefined || this.#options.signal.aborted) return;
    this.#current = undefined;
    fenced.end();
    this.#run(this.#open(this.#options.newHolderId()));
    this.#run(this.#retire(fenced));
  }

  async #retire(fenced: HolderSession): Promise<void> {
    const { dependencies, signal } = this.#options;
    this.#past.add(fenced);
    try {
      if (await until(() => fenced.open.size === 0, dependencies, signal))
        await retireHolder(dependencies, { ...fenced, holderIds: [fenced.holderId] }, signal);
    } finally {
      this.#past.delete(fenced);
    }
  }

  #run(work: Promise<void>): void {
    const watched = work.finally(() => this.#work.delete(watched));
    this.#work.add(watched);
    this.#options.dependencies.quiet(watched);
  }

  /**
   * The session that admits, with its lease renewed if it had expired.
   * @throws {GatewayError} `service_unavailable` when none could be opened or billing does not
   * respond
   */
  async live(): Promise<HolderSession> {
    const { lease } = await this.#opened();
    if (!lease.live) await lease.beat();
    // That heartbeat may have fenced it.
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

  /** Called about once a second. */
  advance(): void {
    const now = this.#options.dependencies.clock.monotonic();
    const elapsedMs = now - this.#tickedAt;
    this.#tickedAt = now;
    this.#current?.advance(elapsedMs, this.#options.idleMs);
    for (const fenced of this.#past) fenced.advance(elapsedMs, 0);
  }

  /**
   * Others need this account's money: fenced sessions may have some too, from requests that have
   * ended since.
   */
  recall(accountId: string): void {
    for (const session of this.all) session.recall(accountId);
  }

  recallKey(keyId: string): void {
    for (const session of this.all) session.recallKey(keyId);
  }

  /** Readiness: whether requests can be admitted. */
  readonly check: HealthCheck = async () => {
    if (this.#current === undefined)
      return { ok: false, reason: `no usage journal could be opened: ${this.#refusal?.error}` };
    const { journal, lease } = this.#current;
    const journalHealth = await journal.check();
    if (!journalHealth.ok) return journalHealth;
    if (lease.clockFault !== undefined) return { ok: false, reason: lease.clockFault };
    return lease.live ? { ok: true } : { ok: false, reason: "billing has not renewed this process's lease" };
  };

  /** Liveness: whether this process can still recover without a restart. */
  readonly alive: HealthCheck = async () => {
    if (this.#refusal === undefined) return { ok: true };
    const forMs = this.#options.dependencies.clock.monotonic() - this.#refusal.sinceMs;
    if (forMs < hopelessMs) return { ok: true };
    return { ok: false, reason: `no usage journal could be opened for ${Math.round(forMs / 1_000)} s` };
  };

  /**
   * Waits for open requests and pending deliveries; whatever remains stays on disk for the next
   * start. Call it after the signal has fired.
   */
  async stop(stopMs: number): Promise<void> {
    const current = this.#current;
    if (current !== undefined) await this.#stop(current, stopMs);
    await Promise.all(this.#work);
  }

  async #stop(current: HolderSession, stopMs: number): Promise<void> {
    const { dependencies, keepsJournal = false } = this.#options;
    const settled = await until(() => current.open.size === 0, dependencies, AbortSignal.timeout(stopMs));
    current.end();
    const returned = await drained(() => current.grantReturns.pending, dependencies, publishOnStopMs);
    if (settled) {
      const publishing = returned ? AbortSignal.timeout(publishOnStopMs) : AbortSignal.abort();
      await retireHolder(dependencies, { ...current, holderIds: [current.holderId], keepsJournal }, publishing);
    } else {
      // Requests still open keep the journal: the next process writes their finals.
      await current.publisher[Symbol.asyncDispose]();
      await current.journal[Symbol.asyncDispose]();
    }
  }
}
