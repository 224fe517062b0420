import { isEndUserLevel } from "@uag/contract/end-users";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { AcquireRequest, AcquireResponse } from "@uag/proto/billing/v1/grants.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { outOfReach, refusalOf, unpaidUsage } from "../refusals.ts";
import { type Grant, type GrantReturn, Wallet, type WalletSettings } from "./wallet.ts";

/** What an account needs from billing. */
export interface GrantSource {
  readonly holderId: string;
  acquire(request: AcquireRequest): Promise<AcquireResponse>;
  /** Returns money; retries until billing has acknowledged it. */
  returnGrants(accountId: string, returns: readonly GrantReturn[]): void;
  newRequestId(): string;
  /** Billing has fenced this holder. */
  fenced(error: GatewayError): void;
}

interface Waiter {
  readonly hold: bigint;
  readonly resolve: (grant: Grant) => void;
  readonly reject: (error: GatewayError) => void;
}

/** True for a key that may spend only part of its account's money. */
function hasBudget({ limits }: Caller): boolean {
  return limits !== undefined && limits.monthlyBudgetNanoUsd > 0n;
}

/** The money's owner: an account, or the part of it that is one key's budget. */
export interface Purse {
  readonly accountId: string;
  /** Empty: for all keys without a budget of their own. */
  readonly keyId: string;
  /** The levels of its end user, if it is one's; then the shared budget of its keys and those above it. */
  readonly budgetIds: string[];
}

/** Whether only one end user may spend it. */
export function isOfEndUser({ budgetIds }: Pick<Purse, "budgetIds">): boolean {
  const first = budgetIds[0];
  return first !== undefined && isEndUserLevel(first);
}

/** Requests whose holds the purse of an end user acquires ahead: there may be many of them. */
const requestsAheadOfEndUser = 4;

/** The purse that funds a caller's requests: a key with a budget of its own has one of its own. */
export function purseOf(caller: Caller): Purse {
  const { accountId, keyId, rootKeyId = keyId, budgetIds } = caller;
  return { accountId, keyId: hasBudget(caller) ? rootKeyId : "", budgetIds };
}

/** Identifies a purse. The budgets above an envelope may change with the key that opened it. */
export function purseId({ accountId, keyId, budgetIds }: Purse): string {
  return [accountId, keyId, ...budgetIds].join("/");
}

/**
 * A request that was sent twice and refused: the first attempt may still be granted, and that grant
 * would be unknown here.
 */
interface Doubt {
  readonly request: AcquireRequest;
  waitedMs: number;
}

/**
 * MongoDB ends every transaction after a minute: by then an abandoned call has taken effect, if at
 * all.
 */
const doubtMs = 70_000;

/**
 * One purse's wallet and the requests waiting for its next grant, served in order. Only one Acquire
 * is in flight at a time.
 */
export class Account {
  readonly purse: Purse;
  readonly wallet: Wallet;
  readonly #source: GrantSource;
  /** What envelopes leave beyond the wallet, as billing last reported; undefined: it has none. */
  #envelopeLeft: bigint | undefined;
  #waiters: Waiter[] = [];
  #filling = false;
  /** An Acquire without a response: repeated verbatim, since its grant may exist. */
  #pendingRequest: AcquireRequest | undefined;
  #doubts: Doubt[] = [];
  /** Used since the last tick. */
  #used = true;
  #idleMs = 0;
  /** Milliseconds since the wallet last updated its spend rate. */
  #sinceMs = 0;
  /** Billing recently failed to respond: no refills ahead of need for now. */
  #backingOff = false;

  constructor(purse: Purse, source: GrantSource, settings: WalletSettings) {
    this.purse = purse;
    this.#source = source;
    this.wallet = new Wallet(isOfEndUser(purse) ? { ...settings, requestsAhead: requestsAheadOfEndUser } : settings);
  }

  /**
   * For an envelope's key: what its envelopes cover beyond the holds of requests under way, nano-USD.
   * Requests of other processes count as of the last grant here.
   */
  get envelopeRemaining(): bigint | undefined {
    return this.#envelopeLeft === undefined ? undefined : this.#envelopeLeft + this.wallet.unspent;
  }

  /** True when nothing is pending and it holds nothing. */
  get empty(): boolean {
    const needsMore = this.#waiters.length > 0 || this.#pendingRequest !== undefined || this.#doubts.length > 0;
    return this.wallet.grants.length === 0 && !needsMore;
  }

  /** Takes a hold from memory; undefined when there is not enough or others are already waiting. */
  take(hold: bigint): Grant | undefined {
    if (this.#waiters.length > 0) return undefined;
    const grant = this.wallet.take(hold);
    if (grant === undefined) return undefined;
    this.#used = true;
    if (this.wallet.low && !this.#backingOff) this.#fill();
    return grant;
  }

  /**
   * Waits for a grant that covers the hold. @throws {GatewayError} `insufficient_balance` or
   * `service_unavailable`
   */
  wait(hold: bigint): Promise<Grant> {
    this.#used = true;
    return new Promise((resolve, reject) => {
      this.#waiters.push({ hold, resolve, reject });
      this.#fill();
    });
  }

  /**
   * Has billing report in the background what envelopes leave, for requests that need no money. The
   * report comes with the smallest possible grant, which returns when it is idle.
   */
  lookUpEnvelope(): void {
    if (this.#envelopeLeft === undefined && !this.#backingOff && !this.wallet.scarce) this.#fill();
  }

  settle(grant: Grant, hold: bigint, cost: bigint): void {
    this.#used = true;
    this.wallet.settle(grant, hold, cost);
    if (this.#waiters.length > 0) this.#serve();
  }

  /** False when it needs no update now: unused, and nothing pending. */
  get #busy(): boolean {
    if (this.#used || this.#waiters.length > 0 || this.wallet.outstanding > 0n) return true;
    return this.#pendingRequest !== undefined || this.#doubts.length > 0 || this.wallet.retiring;
  }

  /** Tracks the spend and returns what has been idle for `idleMs`. */
  advance(elapsedMs: number, idleMs: number): void {
    this.#sinceMs += elapsedMs;
    this.#idleMs = this.#used ? 0 : this.#idleMs + elapsedMs;
    // A replica may hold grants of a hundred thousand idle accounts.
    if (!this.#busy && this.#idleMs < idleMs) return;
    this.#backingOff = false;
    this.wallet.advance(this.#sinceMs);
    this.#sinceMs = 0;
    this.#used = this.#waiters.length > 0;
    this.#return(this.#idleMs >= idleMs ? this.wallet.returnUnspent() : this.wallet.returnRetired());
    if (this.#pendingRequest !== undefined) this.#fill();
    this.#settleDoubts(elapsedMs);
  }

  /**
   * Returns everything unspent at once. An envelope may have been closed, after which no request
   * would use what those under way leave: it is returned as they end.
   */
  recall(): void {
    if (this.#envelopeLeft === undefined) this.#returnAll();
    else this.retire();
  }

  /** Returns everything unspent at once, and what requests under way leave as they end. */
  retire(): void {
    this.wallet.retire();
    this.#returnAll();
  }

  /** @returns whether there was anything to return */
  #returnAll(): boolean {
    const returns = this.wallet.returnUnspent();
    this.#return(returns);
    return returns.some(({ amount }) => amount > 0n);
  }

  #return(returns: readonly GrantReturn[]): void {
    this.#source.returnGrants(this.purse.accountId, returns);
    if (this.#envelopeLeft !== undefined) for (const { amount } of returns) this.#envelopeLeft += amount;
  }

  /** Refuses all waiting requests. */
  refuseAll(error: GatewayError): void {
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
  }

  #serve(): void {
    let served = 0;
    for (const waiter of this.#waiters) {
      const grant = this.wallet.take(waiter.hold);
      if (grant === undefined) break;
      served++;
      waiter.resolve(grant);
    }
    this.#waiters.splice(0, served);
  }

  #fill(): void {
    if (this.#filling) return;
    this.#filling = true;
    this.#acquireAll().then(
      () => {
        this.#filling = false;
        if (this.#waiters.length > 0) this.#fill();
      },
      (error: unknown) => {
        this.#filling = false;
        this.#failed(error);
      },
    );
  }

  #failed(error: unknown): void {
    this.#backingOff = true;
    const refusal = error instanceof GatewayError ? error : outOfReach(error);
    if (isFenced(refusal)) {
      this.#pendingRequest = undefined;
      this.#source.fenced(refusal);
    }
    this.refuseAll(outOfReach(refusal));
  }

  /**
   * Acquires until no request waits. When the balance runs low, it asks for as many of the first
   * requests as the money covers.
   */
  async #acquireAll(): Promise<void> {
    let there: bigint | undefined;
    let gaveOwn = false;
    do {
      const first = this.#waiters[0]?.hold ?? 0n;
      const response = await this.#acquire(this.#needOf(there), there !== undefined);
      this.#envelopeLeft = response.envelopeLeftNanoUsd ?? this.#envelopeLeft;
      if (!response.insufficient) {
        this.wallet.add(response.grantId, response.amountNanoUsd, response.scarce);
        if (response.scarce) there = undefined;
      } else if (response.owedNanoUsd > 0n) {
        this.#returnAll();
        this.refuseAll(unpaidUsage(response.owedNanoUsd));
      } else if (response.needNanoUsd > first) {
        this.wallet.scarce = true;
        there = response.availableNanoUsd < response.needNanoUsd ? response.availableNanoUsd : 0n;
      } else if (!gaveOwn && this.#returnAll()) {
        // Remainders of several grants may add up to what one request needs.
        gaveOwn = true;
      } else {
        this.wallet.scarce = true;
        this.#refuse(first, response);
      }
      this.#serve();
    } while (this.#waiters.length > 0);
  }

  /** The sum of the waiting holds, or of as many of the first as fit into `there`; at least one. */
  #needOf(there: bigint | undefined): bigint {
    let sum = this.#waiters[0]?.hold ?? 0n;
    for (const waiter of this.#waiters.slice(1)) {
      if (there !== undefined && sum + waiter.hold > there) break;
      sum += waiter.hold;
    }
    return sum;
  }

  async #acquire(need: bigint, exact: boolean): Promise<AcquireResponse & { needNanoUsd: bigint }> {
    const want = this.wallet.want(need);
    const again = this.#pendingRequest !== undefined;
    this.#pendingRequest ??= {
      holderId: this.#source.holderId,
      ...this.purse,
      needNanoUsd: need > 0n ? need : 1n,
      wantNanoUsd: exact ? need : want,
      requestId: this.#source.newRequestId(),
      taskUntilMs: 0n,
    };
    const { needNanoUsd } = this.#pendingRequest;
    try {
      const request = this.#pendingRequest;
      const response = await this.#source.acquire(request);
      this.#pendingRequest = undefined;
      if (again && response.insufficient) this.#doubts.push({ request, waitedMs: 0 });
      return { ...response, needNanoUsd };
    } catch (error) {
      if (error instanceof GatewayError && !error.retryable) this.#pendingRequest = undefined;
      throw error;
    }
  }

  /**
   * Repeats the request for the smallest amount: this yields the forgotten grant, or a minimal one,
   * which is returned.
   */
  #settleDoubts(elapsedMs: number): void {
    for (const doubt of this.#doubts) doubt.waitedMs += elapsedMs;
    const due = this.#doubts.filter(({ waitedMs }) => waitedMs >= doubtMs);
    for (const doubt of due) {
      doubt.waitedMs = 0;
      this.#source.acquire({ ...doubt.request, needNanoUsd: 1n, wantNanoUsd: 1n }).then(
        ({ insufficient, grantId, amountNanoUsd: amount }) => {
          if (insufficient || !this.#doubts.includes(doubt)) return;
          this.#doubts = this.#doubts.filter((other) => other !== doubt);
          this.#source.returnGrants(this.purse.accountId, [{ grantId, sequence: 1, amount, close: true, spent: 0n }]);
        },
        // Retried after the same time again.
        () => undefined,
      );
    }
  }

  /** Refuses the requests that need `first` or more: billing's response applies to them too. */
  #refuse(first: bigint, response: AcquireResponse): void {
    const refused = this.#waiters.filter(({ hold }) => hold >= first);
    this.#waiters = this.#waiters.filter(({ hold }) => hold < first);
    for (const waiter of refused) waiter.reject(refusalOf(response, waiter.hold));
  }
}

/** True for billing's errors for a holder whose lease has expired there. */
export function isFenced(error: GatewayError): boolean {
  const cause = error.cause as { code?: number } | undefined;
  return error.code === "permission_denied" || cause?.code === failedPrecondition;
}

const failedPrecondition = 9;
