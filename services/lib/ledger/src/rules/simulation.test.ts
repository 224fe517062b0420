import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { seededInt } from "@uag/harness/testing/seeded-random";
import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import { Pricing, UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { acquireOperation } from "./acquire.ts";
import { auditAccount, balanceOf } from "./audit.ts";
import { type AccountState, type Operation, WorkingBook } from "./book.ts";
import type { SharedBudget } from "./budget.ts";
import { chainStart, changeOf } from "./entry.ts";
import { settleFromGrants } from "./escrow.ts";
import { type Grant, type HolderState, isLive, leftOf } from "./grant.ts";
import { isSound, larger, type Money, noMoney, smaller } from "./money.ts";
import { repairOperation } from "./repair.ts";
import { finishOperation, releaseOperation, returnOperation } from "./return.ts";
import { type Settlement, settleOperation } from "./settle.ts";
import type { Charge } from "./spending.ts";
import { topUpOperation } from "./top-up.ts";

const accountId = "acct";
const budgetedKey = "key_budget";
const writeOffLimit = 100n;

/** The books in memory, changed by the same operations as the database. */
class Books {
  account: AccountState = { id: accountId, money: noMoney, repaid: 0n, seq: 0n, head: chainStart };
  readonly grants = new Map<string, Grant>();
  readonly holders = new Map<string, HolderState>();
  readonly entries: Entry[] = [];
  /** Monthly budget of one of the account's keys. */
  readonly budget = 700n;
  /** Two budgets that keys share, the second above the first. */
  readonly shared: ReadonlyMap<string, SharedBudget> = new Map(
    (["bud_team", "bud_organization"] as const).map((id, level) => [
      id,
      { id, name: id, amount: level === 0 ? 500n : 900n, period: "total", hard: true },
    ]),
  );
  /** Charged, by key and by shared budget. */
  readonly spent = new Map<string, bigint>();
  #lastSeq = 0n;

  /** What is left of a key's own budget, or of a shared one. */
  leftOfBudget(id: string): bigint {
    const amount = this.shared.get(id)?.amount ?? this.budget;
    const counted = [...this.grants.values()].filter(
      (grant) => isLive(grant) && (grant.keyId === id || grant.budgetIds.includes(id)),
    );
    return counted.reduce((left, grant) => left - leftOf(grant), amount - (this.spent.get(id) ?? 0n));
  }

  #spend(charges: readonly Charge[]): void {
    for (const { keyId, budgetId, charged } of charges) {
      const id = budgetId ?? keyId ?? "";
      this.spent.set(id, (this.spent.get(id) ?? 0n) + charged);
    }
  }

  run<A>(operation: Operation<A>): A {
    const book = new WorkingBook({
      account: this.account,
      grants: this.grants,
      grantsByRequest: new Map([...this.grants.values()].map((grant) => [grant.requestId, grant])),
      holders: this.holders,
      entries: new Map(this.entries.map((entry) => [entry.id, changeOf(entry)])),
      budgets: new Map([[budgetedKey, this.budget]]),
      sharedBudgets: this.shared,
      spent: this.spent,
      nowMs: this.entries.length,
      nextSeq: () => this.nextSeq(),
    });
    const response = book.run(operation);
    this.account = book.account;
    this.entries.push(...book.newEntries);
    for (const [id, grant] of book.changedGrants) this.grants.set(id, grant);
    this.#spend(book.newSpending.charges);
    return response;
  }

  /** Settles as billing does: from the grants what they cover, the rest from the account. */
  settle(events: readonly UsageEvent[]): Settlement[] {
    const escrow = settleFromGrants(
      {
        grants: this.grants,
        entries: new Map(this.entries.map((entry) => [entry.id, changeOf(entry)])),
        nowMs: this.entries.length,
        nextSeq: () => this.nextSeq(),
      },
      [...new Map(events.map((event) => [event.requestId, event])).values()],
    );
    this.entries.push(...escrow.entries);
    for (const [id, grant] of escrow.grants) this.grants.set(id, grant);
    this.#spend(escrow.spending);
    const rest = escrow.uncovered.length === 0 ? [] : this.run(settleOperation(accountId, escrow.uncovered));
    return [...escrow.settled, ...rest];
  }

  nextSeq(): bigint {
    this.#lastSeq += 1n;
    return this.#lastSeq;
  }

  /** The account's balance: its own columns and its grants. */
  get money(): Money {
    return balanceOf({ account: this.account, live: [...this.grants.values()].filter(isLive) });
  }
}

/** A holder's own view of one grant: what it may still admit and what it has reported. */
interface Pocket {
  readonly grantId: string;
  readonly keyId: string;
  readonly budgetIds: readonly string[];
  free: bigint;
  spent: bigint;
  sequence: number;
  inFlight: { hold: bigint; requestId: string }[];
}

class World {
  readonly books = new Books();
  readonly random: (below: number) => number;
  readonly pockets = new Map<string, Pocket[]>();
  /** Events in flight, some of them twice. */
  readonly stream: UsageEvent[] = [];
  readonly costs = new Map<string, bigint>();
  readonly undelivered = new Set<string>();
  /** Events that were settled without a price. */
  readonly unpriced: UsageEvent[] = [];
  refunds = 0;
  toppedUp = 0n;
  repaid = 0n;
  /** Charged beyond holds, by key and by shared budget, nano-USD. */
  readonly beyondHolds = new Map<string, bigint>();
  refusedForOwed = 0;
  /** The budgets for which a grant was refused. */
  readonly refusedFor = new Set<string>();
  ids = 0;

  constructor(seed: number) {
    this.random = seededInt(seed);
  }

  id(prefix: string): string {
    this.ids += 1;
    return `${prefix}${this.ids}`;
  }

  pick<T>(items: readonly T[]): T | undefined {
    return items[this.random(items.length)];
  }

  topUp(): void {
    const amount = BigInt(this.random(500)) - 150n;
    const operation = topUpOperation({ accountId, amount, reference: this.id("ref"), note: "" });
    const before = this.books.account.money;
    const possible = before.available + amount >= 0n;
    try {
      this.books.run(operation);
      assert.ok(possible);
      this.toppedUp += amount;
    } catch (error) {
      assert.ok(error instanceof GatewayError && !possible);
    }
    if (!possible) return;
    const owed = smaller(larger(amount, 0n), before.writtenOff);
    this.repaid += owed;
    const after = this.books.account.money;
    assert.equal(after.writtenOff, before.writtenOff - owed, "what was written off is repaid first");
    assert.equal(after.available, before.available + amount - owed);
    assert.equal(this.books.run(operation), false);
    assert.equal(this.books.account.money, after, "a repeated top-up repays nothing");
  }

  acquire(): void {
    const holderId = this.pick([...this.pockets.keys()].filter((id) => this.books.holders.get(id) === "alive"));
    if (holderId === undefined) return;
    const need = BigInt(1 + this.random(200));
    const requested = {
      grantId: this.id("gr"),
      holderId,
      accountId,
      keyId: this.random(3) === 0 ? budgetedKey : "",
      budgetIds: [[], ["bud_team", "bud_organization"], ["bud_organization"]][this.random(3)] as string[],
      requestId: this.id("acq"),
      need,
      want: need * BigInt(1 + this.random(10)),
      taskUntilMs: 0,
      share: 4n,
      writeOffLimit,
    };
    const { available, writtenOff } = this.books.account.money;
    const owes = writtenOff > writeOffLimit;
    const limiting = [...requested.budgetIds.toReversed(), ...(requested.keyId === "" ? [] : [requested.keyId])];
    const exceeded = limiting.find((id) => this.books.leftOfBudget(id) < need);
    const within = exceeded === undefined;
    const first = this.books.run(acquireOperation(requested));
    const there = !owes && available >= need;
    assert.equal(first.kind === "granted", there && within, "granted if and only if the balance covers it");
    assert.equal(first.kind === "insufficient" && first.budgetExceeded, there && !within);
    if (there && !within && first.kind === "insufficient") {
      assert.equal(first.exceededBudget?.id ?? budgetedKey, exceeded, "names the highest budget that is exceeded");
      this.refusedFor.add(exceeded);
    }
    assert.equal(
      first.kind === "insufficient" && first.owed,
      first.kind === "insufficient" && (owes ? writtenOff : 0n),
    );
    if (owes) this.refusedForOwed++;
    if (first.kind !== "granted") return;
    const again = this.books.run(acquireOperation({ ...requested, grantId: this.id("gr") }));
    assert.ok(again.kind === "granted" && again.grant.id === first.grant.id);
    const { keyId, budgetIds } = requested;
    const pocket = {
      grantId: first.grant.id,
      keyId,
      budgetIds,
      free: first.grant.amount,
      spent: 0n,
      sequence: 0,
      inFlight: [],
    };
    this.pockets.get(holderId)?.push(pocket);
  }

  somePocket(): Pocket | undefined {
    return this.pick([...this.pockets.values()].flat());
  }

  admit(): void {
    const pocket = this.somePocket();
    if (pocket === undefined || pocket.free < 1n) return;
    const hold = BigInt(1 + this.random(Number(pocket.free)));
    pocket.free -= hold;
    pocket.inFlight.push({ hold, requestId: this.id("req") });
  }

  /** Ends a request: occasionally above its hold, unpriced, or free of charge. */
  end(): void {
    const pocket = this.somePocket();
    const request = pocket?.inFlight.pop();
    if (pocket === undefined || request === undefined) return;
    const unpriced = this.random(10) === 0;
    const cost = BigInt(this.random(Number(request.hold) * (this.random(5) === 0 ? 3 : 1) + 1));
    const taken = cost < request.hold ? cost : request.hold;
    pocket.spent += taken;
    pocket.free += request.hold - taken;
    const event = UsageEvent.fromPartial({
      requestId: request.requestId,
      accountId,
      keyId: pocket.keyId,
      budgetIds: [...pocket.budgetIds],
      grantId: pocket.grantId,
      holdNanoUsd: request.hold,
      costNanoUsd: cost,
      pricing: unpriced ? Pricing.UNPRICED : Pricing.EXACT,
      priceVersion: "v1",
    });
    this.costs.set(request.requestId, cost);
    this.undelivered.add(request.requestId);
    for (let copies = 1 + this.random(3); copies > 0; copies--) this.stream.push(event);
  }

  settle(count = 1 + this.random(6)): void {
    const events: UsageEvent[] = [];
    for (let i = 0; i < count && this.stream.length > 0; i++) {
      events.push(...this.stream.splice(this.random(this.stream.length), 1));
    }
    const fresh = this.books.settle(events).filter((settlement) => settlement.isNew);
    for (const settlement of fresh) {
      assert.ok(this.undelivered.delete(settlement.requestId), "settled once");
      assert.equal(settlement.charged + settlement.writtenOff, this.costs.get(settlement.requestId));
      const event = events.find(({ requestId }) => requestId === settlement.requestId) as UsageEvent;
      if (settlement.unpriced) this.unpriced.push(event);
      this.#chargeBeyond(event, settlement.late ? settlement.charged : settlement.charged - event.holdNanoUsd);
    }
    for (const id of [budgetedKey, ...this.books.shared.keys()])
      assert.ok(
        this.books.leftOfBudget(id) + (this.beyondHolds.get(id) ?? 0n) >= 0n,
        `${id} is overspent by no more than costs beyond their holds`,
      );
  }

  #chargeBeyond(event: UsageEvent, charged: bigint): void {
    for (const id of [event.keyId, ...event.budgetIds])
      this.beyondHolds.set(id, (this.beyondHolds.get(id) ?? 0n) + larger(0n, charged));
  }

  /** A person prices a request: it cost more than was charged provisionally, as much, or less. */
  repair(): void {
    const event = this.unpriced.splice(this.random(this.unpriced.length), 1)[0];
    if (event === undefined) return;
    const costNanoUsd = BigInt(this.random(Number(event.costNanoUsd) * 2 + 3));
    const more = costNanoUsd - event.costNanoUsd;
    const before = this.books.money;
    const row = this.books.entries.find(({ id }) => id === `settle:${event.requestId}`) as Entry;
    const operation = repairOperation({ ...event, costNanoUsd, pricing: Pricing.EXACT });
    const first = this.books.run(operation);
    assert.equal(first.charged + first.writtenOff, more, "the bill equals the cost");
    assert.equal(this.books.run(operation).isNew, false);
    this.costs.set(event.requestId, costNanoUsd);
    this.#chargeBeyond(event, first.charged);
    if (more >= 0n) return;
    const forgiven = smaller(-more, smaller(row.writtenOffNanoUsd, before.writtenOff));
    const owed = smaller(-more - forgiven, before.writtenOff - forgiven);
    this.repaid += owed;
    this.refunds++;
    const after = this.books.money;
    assert.equal(after.available, before.available - more - forgiven - owed);
    assert.equal(after.writtenOff, before.writtenOff - forgiven - owed, "debt is paid first");
  }

  returnGrant(): void {
    const pocket = this.somePocket();
    if (pocket === undefined) return;
    const close = this.random(3) === 0 && pocket.inFlight.length === 0;
    const amount = close ? 0n : BigInt(this.random(Number(pocket.free) + 1));
    pocket.sequence += 1;
    const operation = returnOperation({ ...pocket, accountId, amount, close, spent: pocket.spent });
    this.books.run(operation);
    this.books.run(operation);
    pocket.free -= amount;
    if (close) this.forget(pocket);
  }

  forget(pocket: Pocket): void {
    for (const pockets of this.pockets.values()) {
      if (pockets.includes(pocket)) pockets.splice(pockets.indexOf(pocket), 1);
    }
  }

  open(): void {
    const id = this.id("holder");
    this.books.holders.set(id, "alive");
    this.pockets.set(id, []);
  }

  /**
   * The holder dies with its requests in flight; usage it had reported may still arrive after its
   * money was released.
   */
  crash(): void {
    const id = this.pick([...this.pockets.keys()]);
    if (id === undefined) return;
    this.pockets.delete(id);
    this.books.holders.set(id, "closed");
    for (const grant of this.books.grants.values()) {
      if (grant.holderId !== id) continue;
      this.books.run(releaseOperation({ grantId: grant.id, accountId, why: "gone" }));
    }
  }

  /** A request that is refused must leave no trace. */
  misuse(): void {
    const before = this.books.account;
    const grant = this.pick([...this.books.grants.values()]);
    if (grant === undefined || grant.state !== "open") return;
    const requested = { grantId: grant.id, accountId, sequence: 1_000_000, close: this.random(2) === 0 };
    const tooMuch = { amount: leftOf(grant) + 1n, spent: grant.amount - grant.returned + 1n };
    assert.throws(() => this.books.run(returnOperation({ ...requested, ...tooMuch })), GatewayError);
    assert.equal(this.books.account, before);
  }

  /** Finishes a closed grant whose spending is all settled. */
  finish(): void {
    for (const { id, state } of this.books.grants.values()) {
      if (state === "closed") this.books.run(finishOperation({ grantId: id, accountId }));
    }
  }

  check(): void {
    const { money } = this.books;
    assert.ok(isSound(this.books.account.money), "the account's own columns are consistent too");
    assert.ok(isSound(money), "the account balances and nothing is negative");
    const grants = [...this.books.grants.values()];
    assert.equal(
      money.held,
      grants.reduce((sum, grant) => sum + leftOf(grant), 0n),
    );
    assert.ok(grants.every((grant) => leftOf(grant) >= 0n && (isLive(grant) || leftOf(grant) === 0n)));
    const settled = [...this.costs].filter(([id]) => !this.undelivered.has(id));
    assert.equal(
      money.charged + money.writtenOff,
      settled.reduce((sum, [, cost]) => sum + cost, 0n),
    );
    assert.equal(money.toppedUp - money.writtenOff, this.toppedUp);
  }

  audit(): string[] {
    const violations: string[] = [];
    const claim = { account: this.books.account, live: [...this.books.grants.values()].filter(isLive) };
    const audit = auditAccount(accountId, { claim, report: (sentence) => violations.push(sentence) });
    for (const entry of this.books.entries) audit.row(entry);
    audit.finish();
    return violations;
  }
}

type Step =
  | "topUp"
  | "acquire"
  | "admit"
  | "end"
  | "settle"
  | "returnGrant"
  | "finish"
  | "open"
  | "crash"
  | "misuse"
  | "repair";
const weights: Record<Step, number> = {
  topUp: 2,
  acquire: 8,
  admit: 14,
  end: 14,
  settle: 8,
  returnGrant: 5,
  finish: 2,
  open: 2,
  crash: 1,
  misuse: 1,
  repair: 2,
};
const steps = Object.entries(weights).flatMap(([step, weight]) => Array<Step>(weight).fill(step as Step));

test("with random holders, crashes and redeliveries the ledger is exact after every step, and nothing is held at the end", () => {
  let [writtenOff, repaid, refusedForOwed, refunds] = [0n, 0n, 0, 0];
  const refusedFor = new Set<string>();
  for (let seed = 1; seed <= 200; seed++) {
    const world = new World(seed);
    const trace: string[] = [];
    try {
      world.open();
      world.topUp();
      for (let i = 0; i < 300; i++) {
        const step = world.pick(steps) as Step;
        trace.push(step);
        world[step]();
        world.check();
      }
      while (world.stream.length > 0) world.settle();
      while (world.pockets.size > 0) world.crash();
      world.check();
      assert.equal(world.books.account.money.held, 0n);
      assert.deepEqual(world.books.account.money, world.books.money, "all money is in the account's own columns");
      assert.equal(world.undelivered.size, 0);
      assert.deepEqual(world.audit(), []);
      assert.equal(world.books.account.repaid, world.repaid);
      writtenOff += world.books.account.money.writtenOff;
      repaid += world.repaid;
      refusedForOwed += world.refusedForOwed;
      refunds += world.refunds;
      for (const id of world.refusedFor) refusedFor.add(id);
    } catch (error) {
      throw new Error(`seed ${seed} failed after ${trace.length} steps: ${trace.slice(-12).join(" ")}`, {
        cause: error,
      });
    }
  }
  assert.ok(writtenOff > 0n, "the runs included costs that no balance covered");
  assert.ok(repaid > 0n && refusedForOwed > 0, "the runs included accounts that owed too much and repaid it");
  assert.ok(refunds > 0, "the runs included refunds of provisional charges");
  assert.deepEqual(
    [...refusedFor].toSorted(),
    ["bud_organization", "bud_team", budgetedKey],
    "each budget refused some",
  );
});

test("the audit detects a row that was changed, removed, duplicated or moved", () => {
  const world = new World(7);
  world.open();
  world.topUp();
  for (let i = 0; i < 400; i++) world[world.pick(steps) as Step]();
  const { entries } = world.books;
  assert.deepEqual(world.audit(), []);
  for (let i = 0; i < 50; i++) {
    const at = world.random(entries.length - 1);
    const row = entries[at] as Entry;
    const broken: (() => void)[] = [
      () => entries.splice(at, 1, { ...row, note: `${row.note}!` }),
      () => entries.splice(at, 1, { ...row, availableNanoUsd: row.availableNanoUsd + 1n }),
      () => entries.splice(at, 1),
      () => entries.splice(at, 0, row),
      () => entries.splice(at, 2, entries[at + 1] as Entry, row),
    ];
    const copy = [...entries];
    (world.pick(broken) as () => void)();
    assert.notDeepEqual(world.audit(), []);
    entries.splice(0, entries.length, ...copy);
  }
});
