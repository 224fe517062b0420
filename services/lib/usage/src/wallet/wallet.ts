/**
 * Money that billing has reserved for this process and one account, nano-USD. Changed only by its
 * {@link Wallet}.
 */
export interface Grant {
  readonly id: string;
  readonly amount: bigint;
  /** Still available to admit against. */
  balance: bigint;
  /** Sum of min(cost, hold) over its settled requests. */
  spent: bigint;
  /** Returned to billing so far. */
  returned: bigint;
  /** Number of unsettled requests admitted on it. */
  open: number;
  /** Sequence number of its last return. */
  sequence: number;
  /** Admits nothing more; closed once its last request is settled. */
  retired: boolean;
}

/** Part of a grant, or all that is left of it, being returned to billing. */
export interface GrantReturn {
  readonly grantId: string;
  readonly sequence: number;
  readonly amount: bigint;
  readonly close: boolean;
  readonly spent: bigint;
}

/** How much money is requested ahead of need. */
export interface WalletSettings {
  /** A refill covers at least this many requests' holds. Default 64. */
  readonly requestsAhead?: number;
  /** A refill covers the spend of this period, milliseconds. Default 10,000. */
  readonly spendAheadMs?: number;
  /** Upper bound of a refill, nano-USD. Default 100 USD. */
  readonly maxNanoUsd?: bigint;
}

const averagedOverMs = 10_000;

/**
 * The grants of one account as a pure state machine: no clock, no I/O. Each grant always satisfies
 * `amount = balance + open holds + spent + returned`.
 */
export class Wallet {
  readonly #requestsAhead: bigint;
  readonly #spendAheadMs: number;
  readonly #max: bigint;
  readonly #grants: Grant[] = [];
  #usable = 0n;
  #outstanding = 0n;
  #spentSince = 0n;
  /** Nano-USD per millisecond. */
  #spendRate = 0;
  #lastHold = 0n;
  #refillBelow = 0n;
  /** Billing reported the balance as nearly exhausted: nothing is requested ahead of need. */
  scarce = false;

  constructor(settings: WalletSettings = {}) {
    this.#requestsAhead = BigInt(settings.requestsAhead ?? 64);
    this.#spendAheadMs = settings.spendAheadMs ?? 10_000;
    this.#max = settings.maxNanoUsd ?? 100_000_000_000n;
  }

  get grants(): readonly Readonly<Grant>[] {
    return this.#grants;
  }

  /** Available to admit against, over all grants. */
  get usable(): bigint {
    return this.#usable;
  }

  /** Neither held by requests nor returned, over all grants, also those that admit nothing more. */
  get unspent(): bigint {
    return this.#grants.reduce((sum, { balance }) => sum + balance, 0n);
  }

  /** Holds of unsettled requests. */
  get outstanding(): bigint {
    return this.#outstanding;
  }

  /** True when the next grant should be fetched in the background. */
  get low(): boolean {
    return !this.scarce && this.#usable < this.#refillBelow;
  }

  /** True while a retired grant is not closed. */
  get retiring(): boolean {
    return this.#grants.some(({ retired }) => retired);
  }

  /** Takes a hold from the first grant that covers it. */
  take(hold: bigint): Grant | undefined {
    for (const grant of this.#grants) {
      if (grant.retired || grant.balance < hold) continue;
      grant.balance -= hold;
      grant.open++;
      this.#usable -= hold;
      this.#outstanding += hold;
      this.#lastHold = hold;
      return grant;
    }
    return undefined;
  }

  /** Settles a request: the unspent part of its hold becomes usable again. */
  settle(grant: Grant, hold: bigint, cost: bigint): void {
    const spent = cost < hold ? cost : hold;
    grant.balance += hold - spent;
    grant.spent += spent;
    grant.open--;
    if (!grant.retired) this.#usable += hold - spent;
    this.#outstanding -= hold;
    this.#spentSince += spent;
  }

  /** The amount worth requesting when `need` is missing. */
  want(need: bigint): bigint {
    if (this.scarce) return need;
    const ahead = BigInt(Math.ceil(this.#spendRate * this.#spendAheadMs)) + this.#outstanding;
    const floor = this.#requestsAhead * (need > this.#lastHold ? need : this.#lastHold);
    const want = ahead > floor ? ahead : floor;
    const capped = want < this.#max ? want : this.#max;
    return capped > need ? capped : need;
  }

  add(id: string, amount: bigint, scarce: boolean): void {
    // A remainder in an older grant that fits no request is returned when that grant is closed.
    for (const grant of this.#grants) if (!grant.retired && grant.balance < this.#lastHold) this.#retire(grant);
    this.#grants.push({ id, amount, balance: amount, spent: 0n, returned: 0n, open: 0, sequence: 0, retired: false });
    this.#usable += amount;
    this.scarce = scarce;
    this.#refillBelow = (amount < this.want(0n) ? amount : this.want(0n)) / 2n;
  }

  /** Updates the spend rate; call it about once a second. */
  advance(elapsedMs: number): void {
    if (elapsedMs <= 0) return;
    const weight = 1 - Math.exp(-elapsedMs / averagedOverMs);
    this.#spendRate += (Number(this.#spentSince) / elapsedMs - this.#spendRate) * weight;
    this.#spentSince = 0n;
  }

  /** Admits nothing more on the present grants. */
  retire(): void {
    for (const grant of this.#grants) if (!grant.retired) this.#retire(grant);
  }

  #retire(grant: Grant): void {
    grant.retired = true;
    this.#usable -= grant.balance;
  }

  /** Closes the retired grants whose requests are all settled. */
  returnRetired(): GrantReturn[] {
    return this.#grants.filter((grant) => grant.retired && grant.open === 0).map((grant) => this.#close(grant));
  }

  /** Returns everything unspent: closes unused grants and empties the others. */
  returnUnspent(): GrantReturn[] {
    const returns: GrantReturn[] = [];
    for (const grant of [...this.#grants]) {
      if (grant.open === 0) returns.push(this.#close(grant));
      else if (grant.balance > 0n) returns.push(this.#empty(grant));
    }
    return returns;
  }

  #close(grant: Grant): GrantReturn {
    const amount = grant.balance;
    this.#grants.splice(this.#grants.indexOf(grant), 1);
    if (!grant.retired) this.#usable -= amount;
    grant.balance = 0n;
    grant.returned += amount;
    return { grantId: grant.id, sequence: ++grant.sequence, amount, close: true, spent: grant.spent };
  }

  #empty(grant: Grant): GrantReturn {
    const amount = grant.balance;
    if (!grant.retired) this.#usable -= amount;
    grant.balance = 0n;
    grant.returned += amount;
    return { grantId: grant.id, sequence: ++grant.sequence, amount, close: false, spent: 0n };
  }
}
