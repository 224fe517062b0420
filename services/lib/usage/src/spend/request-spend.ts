import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { dayOf } from "@uag/runtime/utc-days";
import type { CappedCredential, CredentialSpend } from "./credential-spend.ts";
import type { SpendLease } from "./spend-lease.ts";

/** What one request has reserved of a lease, nano-USD. */
interface Taken {
  readonly credential: CappedCredential;
  readonly amount: bigint;
}

/**
 * What the calls of one request may spend with credentials that have caps. The first call with a
 * credential reserves the most that the request can cost, until the request's bill is on disk.
 */
export class RequestSpend {
  readonly #spend: CredentialSpend;
  readonly #day: string;
  readonly #taken = new Map<SpendLease, Taken>();

  /** @param startedAtMs the request's start, Unix milliseconds: its day is the one that it counts on */
  constructor(spend: CredentialSpend, startedAtMs: number) {
    this.#spend = spend;
    this.#day = dayOf(startedAtMs);
  }

  /** The credential that was called last; undefined: none with a cap. */
  get last(): CappedCredential | undefined {
    return [...this.#taken.values()].at(-1)?.credential;
  }

  /** Whether the credential's caps leave an amount, as far as this process knows. */
  covers(credential: CappedCredential, amount: bigint): boolean {
    const lease = this.#leaseOf(credential);
    return this.#taken.has(lease) || lease.covers(amount);
  }

  /** Asks for what the credential's caps leave; undefined if an amount is covered already. */
  ensure(credential: CappedCredential, amount: bigint): Promise<void> | undefined {
    return this.covers(credential, amount) ? undefined : this.#leaseOf(credential).ensure(amount);
  }

  /** A call with the credential begins: it is covered. */
  take(credential: CappedCredential, amount: bigint): void {
    const lease = this.#leaseOf(credential);
    const before = this.#taken.get(lease);
    // The last one is at the end.
    this.#taken.delete(lease);
    this.#taken.set(lease, { credential, amount: before?.amount ?? amount });
    if (before === undefined) lease.take(amount);
  }

  /** The end of the period whose cap is reached, unix milliseconds; 0: none is. */
  untilMs(credential: CappedCredential): number {
    return this.#leaseOf(credential).untilMs;
  }

  /** The request's bill is on disk: it counts with the credential that is billed. */
  settled({ upstream, upstreamCredentialId, upstreamCostNanoUsd, costNanoUsd }: UsageEvent): void {
    for (const [lease, { credential, amount }] of this.#taken) {
      const isBilled = credential.provider === upstream && credential.credentialId === upstreamCredentialId;
      lease.give(amount, isBilled ? (upstreamCostNanoUsd ?? costNanoUsd) : 0n);
    }
    this.#taken.clear();
  }

  #leaseOf(credential: CappedCredential): SpendLease {
    return this.#spend.leaseOf(credential, this.#day);
  }
}
