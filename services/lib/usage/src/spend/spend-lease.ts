import type { GrantServiceServer, LeaseSpendRequest } from "@uag/proto/billing/v1/grants.ts";
import type { RpcClient } from "@uag/runtime/rpc/client";

/** What a holder leases a credential's caps with. */
export interface SpendLeasing {
  readonly holderId: string;
  readonly billing: Pick<RpcClient<GrantServiceServer>, "leaseSpend">;
  /** Monotonic milliseconds. */
  now(): number;
  /** A call to billing failed. */
  failed(error: unknown): void;
}

/** The most that a credential may spend, nano-USD; undefined: no cap. */
export interface SpendCaps {
  /** In a day (UTC). */
  readonly daily: bigint | undefined;
  /** In a month (UTC). */
  readonly monthly: bigint | undefined;
}

/** A credential, and the day (UTC) that requests count on. */
export type SpendSubject = Pick<LeaseSpendRequest, "provider" | "credentialId" | "day">;

const callTimeoutMs = 4_000;
/** Billing is asked again after this: other holders may have given back meanwhile. */
const refusedMs = 1_000;
/** What is left of a lease is given back when it was not used for this long. */
const idleMs = 10_000;

/**
 * What requests of one holder that begin on one day may spend with one credential: never more than
 * billing has leased. A request reserves the most that it can cost, and counts what it did cost once
 * its bill is on disk.
 */
export class SpendLease {
  readonly #leasing: SpendLeasing;
  readonly #subject: SpendSubject;
  #caps: SpendCaps;
  #leased = 0n;
  #spent = 0n;
  #reserved = 0n;
  #sequence = 0n;
  /** What requests wait for. */
  #need = 0n;
  #calling: Promise<void> | undefined;
  #refusedUntil = 0;
  #usedAt: number;
  /** The end of the period whose cap is reached, unix milliseconds; 0: none is. */
  untilMs = 0;

  constructor(leasing: SpendLeasing, subject: SpendSubject, caps: SpendCaps) {
    this.#leasing = leasing;
    this.#subject = subject;
    this.#caps = caps;
    this.#usedAt = leasing.now();
  }

  /** The caps are as in the current catalogue from now on; another cap may leave more at once. */
  set caps(caps: SpendCaps) {
    if (caps.daily === this.#caps.daily && caps.monthly === this.#caps.monthly) return;
    this.#caps = caps;
    this.#refusedUntil = 0;
  }

  get day(): string {
    return this.#subject.day;
  }

  /** True when nothing is reserved, leased beyond what was spent, or being asked for. */
  get isIdle(): boolean {
    return this.#reserved === 0n && this.#leased <= this.#spent && this.#calling === undefined;
  }

  covers(amount: bigint): boolean {
    return this.#spent + this.#reserved + amount <= this.#leased;
  }

  /** Reserves an amount that is covered. */
  take(amount: bigint): void {
    this.#usedAt = this.#leasing.now();
    this.#reserved += amount;
    // The next request need not wait.
    if (!this.covers(amount)) void this.ensure(amount);
  }

  /** The request that reserved an amount has cost so much. */
  give(amount: bigint, cost: bigint): void {
    this.#reserved -= amount;
    this.#spent += cost;
  }

  /** Resolves when an amount is covered, or billing leases no more. */
  async ensure(amount: bigint): Promise<void> {
    while (!this.covers(amount) && this.#leasing.now() >= this.#refusedUntil) {
      this.#need += amount;
      this.#calling ??= this.#raise();
      await this.#calling;
    }
  }

  /** Called about once a second. */
  advance(): void {
    if (this.#calling !== undefined || this.#leasing.now() - this.#usedAt < idleMs) return;
    const used = this.#spent + this.#reserved;
    if (this.#leased <= used) return;
    // No longer used, whether or not billing receives it: what it does not receive counts as spent.
    this.#leased = used;
    this.#calling = this.#call(used);
  }

  async #raise(): Promise<void> {
    // Requests of the same turn are asked for together.
    await Promise.resolve();
    const want = this.#spent + this.#reserved + this.#need;
    this.#need = 0n;
    await this.#call(want);
    if (this.#leased < want) this.#refusedUntil = this.#leasing.now() + refusedMs;
  }

  async #call(wantNanoUsd: bigint): Promise<void> {
    const { holderId, billing } = this.#leasing;
    const leastNanoUsd = this.#leased;
    const request = {
      ...this.#subject,
      holderId,
      sequence: ++this.#sequence,
      leastNanoUsd,
      wantNanoUsd,
      dailyCapNanoUsd: this.#caps.daily,
      monthlyCapNanoUsd: this.#caps.monthly,
    };
    try {
      const { leasedNanoUsd, untilMs } = await billing.leaseSpend(request, { timeoutMs: callTimeoutMs });
      this.#leased = leasedNanoUsd;
      this.untilMs = Number(untilMs);
    } catch (error) {
      this.#leasing.failed(error);
    } finally {
      this.#calling = undefined;
    }
  }
}
