import assert from "node:assert/strict";
import { createSequence } from "@uag/billing/store/sequence";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { acquireOperation } from "@uag/ledger/rules/acquire";
import { auditAccount, balanceOf } from "@uag/ledger/rules/audit";
import { type AccountState, type Operation, WorkingBook } from "@uag/ledger/rules/book";
import { chainStart, changeOf, entryId } from "@uag/ledger/rules/entry";
import { settleFromGrants } from "@uag/ledger/rules/escrow";
import { type Grant, type HolderState, isLive, leftOf } from "@uag/ledger/rules/grant";
import { type Money, noMoney } from "@uag/ledger/rules/money";
import { finishOperation, releaseOperation, returnOperation } from "@uag/ledger/rules/return";
import { type Settlement, settleOperation } from "@uag/ledger/rules/settle";
import { topUpOperation } from "@uag/ledger/rules/top-up";
import type {
  AcquireRequest,
  AcquireResponse,
  LeaseSpendRequest,
  LeaseSpendResponse,
  ReturnOutcome,
  ReturnRequest,
} from "@uag/proto/billing/v1/grants.ts";
import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { Budgets, monthlyBudget } from "./budgets.ts";
import type { Envelopes } from "./envelopes.ts";
import { Invoices } from "./invoices.ts";
import { Spending } from "./spending.ts";

export const accountId = "acct";
const leaseMs = 15_000;
const graceMs = 300_000;
/** Maximum difference between a row's time and the database's after its clock is set back. */
const maxRowErrorMs = 5_000;
const share = 4n;

interface Holder {
  state: HolderState;
  leaseUntil: number;
  orphanedAt: number;
}

export interface StoreOptions {
  /** The database's time, which determines the expiry of leases. */
  readonly now: () => number;
  /** The time that billing assigns to a transaction's rows. */
  readonly rowTime: () => number;
  /** Like billing's setting, nano-USD. */
  readonly writeOffLimit: bigint;
  /** Recalls unspent money from all holders. */
  readonly recall: () => void;
  readonly envelopes: Envelopes;
}

/** Billing's database and its calls on it: each is one transaction that uses the real logic. */
export class Store {
  account: AccountState = { id: accountId, money: noMoney, repaid: 0n, seq: 0n, head: chainStart };
  readonly grants = new Map<string, Grant>();
  readonly #holders = new Map<string, Holder>();
  readonly #entries: Entry[] = [];
  readonly #changes = new Map<string, Money>();
  readonly #byRequest = new Map<string, Grant>();
  readonly now: () => number;
  readonly #options: StoreOptions;
  /** Total of top-ups, nano-USD. */
  #paidIn = 0n;
  /** Grants refused because of write-offs. */
  refusedForOwed = 0;
  readonly #budgets: Budgets;
  /** What credentials with caps have spent. */
  readonly spending = new Spending();
  /** Grants refused because of a key's own budget, of a shared one, and of an envelope. */
  refusedForBudget = 0;
  refusedForSharedBudget = 0;
  refusedForEnvelope = 0;
  #ids = 0;
  readonly #sequence = createSequence();
  readonly invoices = new Invoices(accountId, this.#entries);

  constructor(options: StoreOptions) {
    this.now = options.now;
    this.#options = options;
    this.#budgets = new Budgets(options.now, options.envelopes);
  }

  #run<A>(operation: Operation<A>): A {
    const { needs } = operation;
    const grants = new Map<string, Grant>();
    for (const id of needs.grants ?? []) {
      const grant = this.grants.get(id);
      if (grant !== undefined) grants.set(id, grant);
    }
    const entries = new Map<string, Money>();
    for (const id of needs.entries ?? []) {
      const change = this.#changes.get(id);
      if (change !== undefined) entries.set(id, change);
    }
    const budgetGrants = [...this.grants.values()].filter(
      ({ keyId, budgetIds }) =>
        needs.budgets?.includes(keyId) || budgetIds.some((id) => needs.sharedBudgets?.includes(id)),
    );
    for (const grant of budgetGrants) if (isLive(grant)) grants.set(grant.id, grant);
    const received = (needs.grantRequests ?? []).flatMap((id) => this.#byRequest.get(id) ?? []);
    const nowMs = this.#rowTime();
    const book = new WorkingBook({
      account: this.account,
      grants,
      entries,
      budgets: new Map((needs.budgets ?? []).map((keyId) => [keyId, monthlyBudget])),
      sharedBudgets: this.#budgets.shared(needs.sharedBudgets ?? []),
      spent: new Map([
        ...this.#budgets.ofKeys(needs.budgets ?? []),
        ...this.#budgets.ofLevels(needs.sharedBudgets ?? []),
      ]),
      nowMs,
      grantsByRequest: new Map(received.map((grant) => [grant.requestId, grant])),
      holders: new Map((needs.holders ?? []).flatMap((id) => this.#stateOf(id))),
      nextSeq: this.#sequence(nowMs),
    });
    const response = book.run(operation);
    this.account = book.account;
    this.#insert(book.newEntries);
    for (const charge of book.newSpending.charges) this.#budgets.spend(charge);
    for (const [id, grant] of book.changedGrants) {
      this.grants.set(id, grant);
      this.#byRequest.set(grant.requestId, grant);
    }
    this.#budgets.booked(book.newEntries, this.grants);
    return response;
  }

  /** @throws {AssertionError} when billing's time differs from the database's */
  #rowTime(): number {
    const ms = this.#options.rowTime();
    const error = ms - this.now();
    assert.ok(Math.abs(error) <= maxRowErrorMs, `a row's time is ${error} ms from the database's`);
    return ms;
  }

  #insert(entries: readonly Entry[]): void {
    this.#entries.push(...entries);
    this.spending.booked(entries);
    for (const entry of entries) {
      assert.ok(!this.#changes.has(entry.id), `the row ${entry.id} exists already`);
      this.#changes.set(entry.id, changeOf(entry));
    }
  }

  /** The account's balance by its own columns and its grants. */
  get money(): Money {
    return balanceOf({ account: this.account, live: [...this.grants.values()].filter(isLive) });
  }

  #stateOf(id: string): [string, HolderState][] {
    const holder = this.#holders.get(id);
    return holder === undefined ? [] : [[id, holder.state]];
  }

  /** Adds money; the call may be repeated. */
  topUp(amount: bigint, times: number): void {
    const { available, writtenOff } = this.account.money;
    const operation = topUpOperation({ accountId, amount, reference: String(++this.#ids), note: "" });
    for (let time = 0; time < times; time++)
      assert.equal(this.#run(operation), time === 0, "a repeated top-up counts once");
    this.#paidIn += amount;
    const repaid = amount < writtenOff ? amount : writtenOff;
    const after = this.account.money;
    assert.equal(after.writtenOff, writtenOff - repaid, "a top-up repays write-offs first");
    assert.equal(after.available, available + amount - repaid, "the rest of a top-up becomes available");
  }

  /**
   * Registers a holder, or renews its lease. @throws {GatewayError} `permission_denied` when it was
   * fenced
   */
  heartbeat(id: string): { leaseMs: number; nowMs: bigint } {
    const known = this.#holders.get(id);
    if (known !== undefined && known.state !== "alive") throw new GatewayError("permission_denied");
    this.#holders.set(id, { state: "alive", leaseUntil: this.now() + leaseMs, orphanedAt: 0 });
    return { leaseMs, nowMs: BigInt(this.now()) };
  }

  /** @throws {GatewayError} `permission_denied` when the holder was fenced */
  leaseSpend(request: LeaseSpendRequest): LeaseSpendResponse {
    const { holderId } = request;
    if (!this.#holders.has(holderId)) this.heartbeat(holderId);
    if (this.#holders.get(holderId)?.state !== "alive") throw new GatewayError("permission_denied");
    return this.spending.lease(request);
  }

  acquire(request: AcquireRequest): AcquireResponse & { held: bigint } {
    if (!this.#holders.has(request.holderId)) this.heartbeat(request.holderId);
    const { writeOffLimit } = this.#options;
    const known = this.#byRequest.has(request.requestId);
    const owed = this.account.money.writtenOff;
    const acquired = this.#run(
      acquireOperation({
        grantId: `gr${++this.#ids}`,
        holderId: request.holderId,
        accountId,
        keyId: request.keyId,
        budgetIds: request.budgetIds,
        share,
        writeOffLimit,
        taskUntilMs: Number(request.taskUntilMs),
        requestId: request.requestId,
        need: request.needNanoUsd,
        want: request.wantNanoUsd,
      }),
    );
    const granted = acquired.kind === "granted";
    assert.ok(known || !granted || owed <= writeOffLimit, `a grant was given to an account with write-offs of ${owed}`);
    if (granted && !known) this.#budgets.check(acquired.grant, this.grants);
    if (!granted && acquired.owed > 0n) this.refusedForOwed++;
    if (!granted && acquired.exceededBudget?.envelope === true) this.refusedForEnvelope++;
    else if (!granted && acquired.exceededBudget !== undefined) this.refusedForSharedBudget++;
    else if (!granted && acquired.budgetExceeded) this.refusedForBudget++;
    return {
      grantId: granted ? acquired.grant.id : "",
      amountNanoUsd: granted ? acquired.grant.amount : 0n,
      availableNanoUsd: acquired.available,
      scarce: granted ? acquired.scarce : true,
      insufficient: !granted,
      budgetExceeded: !granted && acquired.budgetExceeded,
      owedNanoUsd: granted ? 0n : acquired.owed,
      envelopeLeftNanoUsd: acquired.envelopeLeft,
      held: this.money.held,
    };
  }

  returnGrant({ grantId, sequence, amountNanoUsd: amount, close, spentNanoUsd: spent }: ReturnRequest): object {
    this.#run(returnOperation({ grantId, accountId, sequence, amount, close, spent }));
    return {};
  }

  returnOne(request: ReturnRequest): ReturnOutcome {
    try {
      this.returnGrant(request);
      return { refused: "", again: false };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return { refused: error.message, again: false };
    }
  }

  closeHolder(id: string): { grantsClosed: number } {
    this.#holders.set(id, { state: "closed", leaseUntil: 0, orphanedAt: 0 });
    let grantsClosed = 0;
    for (const grant of this.grants.values()) {
      if (grant.holderId !== id || !isLive(grant) || grant.taskUntilMs > 0) continue;
      this.#run(releaseOperation({ grantId: grant.id, accountId, why: "closed" }));
      grantsClosed++;
    }
    return { grantsClosed };
  }

  /** Fences silent holders; releases the money of those dead for long enough. */
  reap(): void {
    const now = this.now();
    for (const [id, holder] of this.#holders) {
      if (holder.state === "alive" && holder.leaseUntil < now)
        Object.assign(holder, { state: "orphaned", orphanedAt: now });
      if (holder.state === "orphaned" && holder.orphanedAt + graceMs < now) this.closeHolder(id);
    }
    for (const { id, taskUntilMs, state } of this.grants.values())
      if (state !== "released" && taskUntilMs > 0 && taskUntilMs + graceMs < now)
        this.#run(releaseOperation({ grantId: id, accountId, why: "overdue" }));
  }

  /** Whether nothing of a holder can be in flight any more; an unknown one is fenced. */
  isHolderGone(id: string): { gone: boolean } {
    const known = this.#holders.get(id);
    if (known === undefined) this.closeHolder(id);
    return { gone: known === undefined || known.state === "closed" };
  }

  /**
   * Like billing: charges grants for what they cover, and the account for the rest, then finishes
   * completed grants.
   */
  #settle(events: readonly UsageEvent[]): Settlement[] {
    const nowMs = this.#rowTime();
    const book = { grants: this.grants, entries: this.#changes, nowMs, nextSeq: this.#sequence(nowMs) };
    const first = new Map(events.toReversed().map((event) => [event.requestId, event]));
    const { settled, entries, grants, spending, uncovered: rest } = settleFromGrants(book, [...first.values()]);
    this.#insert(entries);
    for (const charge of spending) this.#budgets.spend(charge);
    for (const [id, grant] of grants) {
      this.grants.set(id, grant);
      this.#byRequest.set(grant.requestId, grant);
    }
    this.#budgets.booked(entries, this.grants);
    const charged = rest.length === 0 ? [] : this.#run(settleOperation(accountId, rest));
    for (const { id, state } of grants.values()) {
      if (state === "closed") this.#run(finishOperation({ grantId: id, accountId }));
    }
    return [...settled, ...charged];
  }

  settle(events: readonly UsageEvent[]): Settlement[] {
    const settled = this.#settle(events);
    for (const { requestId, isNew, late, writtenOff } of settled) {
      const event = events.find((one) => one.requestId === requestId);
      if (!isNew || writtenOff === 0n || event === undefined) continue;
      this.#options.recall();
      assert.ok(late || event.costNanoUsd > event.holdNanoUsd, `${requestId} was admitted without sufficient funds`);
    }
    return settled;
  }

  /** Whether a request is settled. */
  isBilled(requestId: string): boolean {
    return this.#changes.has(entryId.settle(requestId));
  }

  /** Whether a task has an open grant, which may be acquired again. */
  hasOpenGrant(requestId: string): boolean {
    return this.#byRequest.get(`task:${requestId}`)?.state === "open";
  }

  /** The holders with money in their grants. */
  holdersOfMoney(): string[] {
    const live = [...this.grants.values()].filter((grant) => leftOf(grant) > 0n);
    return live.map(
      ({ id, holderId, state, requestId }) =>
        `${holderId} (${this.#holders.get(holderId)?.state}, ${id} ${state} for ${requestId})`,
    );
  }

  check(): void {
    let held = 0n;
    for (const grant of this.grants.values()) held += leftOf(grant);
    assert.equal(this.money.held, held, "the account's held amount is the sum of its grants");
    const { available, toppedUp, writtenOff } = this.account.money;
    assert.ok(available >= 0n, "the account is not overdrawn");
    assert.equal(toppedUp - writtenOff, this.#paidIn, "top-ups minus write-offs equal the paid-in amount");
  }

  /**
   * Compares what counts toward each budget, envelope and credential with the rows, when nothing is in
   * flight.
   */
  checkCounts(): void {
    this.#budgets.compare(this.#entries);
    this.spending.compare(this.#entries);
  }

  /** All rows of the ledger, in order. */
  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** The violations that the ledger's audit finds. */
  audit(): string[] {
    const violations: string[] = [];
    const claim = { account: this.account, live: [...this.grants.values()].filter(isLive) };
    const audit = auditAccount(accountId, { claim, report: (sentence) => violations.push(sentence) });
    for (const entry of this.#entries) audit.row(entry);
    audit.finish();
    return violations;
  }
}
