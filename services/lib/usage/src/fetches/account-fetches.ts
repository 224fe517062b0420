import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { LeaseFetchesRequest, LimitServiceServer } from "@uag/proto/billing/v1/limits.ts";
import { newId } from "@uag/runtime/ids";
import type { RpcClient } from "@uag/runtime/rpc/client";
import { outOfReach } from "../refusals.ts";

/** What an account's permits are leased with. */
export interface FetchLeasing {
  readonly billing: Pick<RpcClient<LimitServiceServer>, "leaseFetches">;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Called for each refused fetch. */
  readonly refused: () => void;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: GatewayError) => void;
}

interface Lease {
  readonly id: string;
  readonly until: number;
  readonly count: number;
  unused: number;
}

interface Exhausted {
  readonly perHour: number;
  /** When billing expects a permit to be free. */
  readonly freeAt: number;
  /** Until then no request goes to billing. */
  readonly until: number;
}

const callTimeoutMs = 4_000;
/** The most permits that are leased ahead of need. */
const maxAhead = 16;
/** The most fetches that one call asks for. */
const maxNeed = 1_024;
/**
 * Billing is asked again after this at the latest: other replicas may have given permits back early.
 */
const maxExhaustedMs = 1_000;

/**
 * One account's permits to fetch URLs in this replica: one lease and one call to billing at a time.
 * A lease that was used up doubles the next one; a lease that was not resets it to what waits.
 */
export class AccountFetches {
  readonly #accountId: string;
  readonly #leasing: FetchLeasing;
  readonly #waiters: Waiter[] = [];
  #lease: Lease | undefined;
  #ahead = 0;
  #exhausted: Exhausted | undefined;
  #calling: Promise<void> | undefined;
  /** A call without a response: repeated verbatim, since billing may have received it. */
  #pending: LeaseFetchesRequest | undefined;

  constructor(accountId: string, leasing: FetchLeasing) {
    this.#accountId = accountId;
    this.#leasing = leasing;
  }

  /** True when forgetting the account would lose nothing. */
  get empty(): boolean {
    return this.#lease === undefined && this.#calling === undefined && this.#pending === undefined;
  }

  /** Takes a permit, from memory if one is leased. @throws {GatewayError} */
  take(): Promise<void> {
    const now = this.#leasing.now();
    if (this.#waiters.length === 0 && this.#use(now)) return Promise.resolve();
    if (this.#exhausted !== undefined && now < this.#exhausted.until) return Promise.reject(this.#refusal());
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      void this.#call();
    });
  }

  /** Gives back what an expired lease left unused. */
  advance(): void {
    const expired = this.#lease !== undefined && this.#leasing.now() >= this.#lease.until;
    if (expired && this.#lease?.unused === 0) this.#lease = undefined;
    if (expired || this.#pending !== undefined) this.#giveBack();
  }

  /** Gives back everything; resolves when billing has responded or could not be reached. */
  async close(): Promise<void> {
    await this.#calling;
    this.#giveBack();
    await this.#calling;
  }

  #giveBack(): void {
    if (this.#pending !== undefined || (this.#lease?.unused ?? 0) > 0) void this.#call();
  }

  #use(now: number): boolean {
    if (this.#lease === undefined || this.#lease.unused === 0 || now >= this.#lease.until) return false;
    this.#lease.unused--;
    return true;
  }

  #call(): Promise<void> {
    this.#calling ??= this.#callAll()
      .catch((error: unknown) => {
        for (const { reject } of this.#waiters.splice(0)) reject(outOfReach(error));
      })
      .finally(() => {
        this.#calling = undefined;
        // A request may have queued up between the loop's last check and this turn.
        if (this.#waiters.length > 0) void this.#call();
      });
    return this.#calling;
  }

  async #callAll(): Promise<void> {
    const { billing, now } = this.#leasing;
    do {
      // The other URLs of the request are asked for in the same turn.
      await Promise.resolve();
      this.#pending ??= this.#request();
      const request = this.#pending;
      const sentAt = now();
      const options = { timeoutMs: callTimeoutMs, affinity: this.#accountId };
      const { leased, leaseMs, perHour, retryAfterMs } = await billing.leaseFetches(request, options);
      this.#pending = undefined;
      const until = sentAt + leaseMs;
      this.#lease = leased === 0 ? undefined : { id: request.leaseId, until, count: leased, unused: leased };
      this.#serve();
      if (leased >= request.need) continue;
      const freeAt = now() + retryAfterMs;
      this.#exhausted = { perHour, freeAt, until: Math.min(freeAt, now() + maxExhaustedMs) };
      for (const { reject } of this.#waiters.splice(0)) reject(this.#refusal());
    } while (this.#waiters.length > 0);
  }

  #serve(): void {
    const served = this.#waiters.splice(0, this.#lease?.unused ?? 0);
    if (this.#lease !== undefined) this.#lease.unused -= served.length;
    for (const { resolve } of served) resolve();
  }

  #request(): LeaseFetchesRequest {
    const ended = this.#lease;
    this.#lease = undefined;
    if (ended !== undefined) this.#ahead = ended.unused === 0 ? Math.min(maxAhead, 2 * ended.count) : 0;
    const need = Math.min(maxNeed, this.#waiters.length);
    return {
      accountId: this.#accountId,
      leaseId: newId("fetch"),
      need,
      want: need === 0 ? 0 : this.#ahead,
      endedLeaseId: ended?.id ?? "",
      unused: ended?.unused ?? 0,
    };
  }

  #refusal(): GatewayError {
    this.#leasing.refused();
    const { perHour = 0, freeAt = 0 } = this.#exhausted ?? {};
    const text = `The account's budget of ${perHour} fetched URLs per hour is used up. Wait for \`retry-after\`, then try again.`;
    const retryAfterMs = Math.max(1, Math.ceil(freeAt - this.#leasing.now()));
    return new GatewayError("rate_limit_exceeded", text, { retryAfterMs });
  }
}
