import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { BudgetBook, SharedBudget } from "./budget.ts";
import { chain, type Posting } from "./entry.ts";
import { type Grant, type HolderState, isLive, unfoldedOf } from "./grant.ts";
import { addMoney, isBalanced, isSound, larger, type Money, moved } from "./money.ts";
import { keysOf, Spending } from "./spending.ts";

/** The state of an account before its next row. */
export interface AccountState {
  readonly id: string;
  readonly money: Money;
  /** Written off and repaid since, nano-USD; counts as charged. */
  readonly repaid: bigint;
  /** Seq of the last row; 0 before the first. */
  readonly seq: bigint;
  /** Hash of the last row. */
  readonly head: Buffer;
}

/**
 * What a decision may read: the account, and what the operation declared in `needs`, from one
 * snapshot.
 */
export interface Book extends BudgetBook {
  readonly account: AccountState;
  readonly grantsByRequest: ReadonlyMap<string, Grant>;
  readonly holders: ReadonlyMap<string, HolderState>;
  /** What existing rows changed, by row id. */
  readonly entries: ReadonlyMap<string, Money>;
  /** The seq of a new row that depends on rows up to `after`. See `Entry.seq`. */
  nextSeq(after: bigint): bigint;
}

/** The outcome of a decision: rows to append and grants in their new state. */
export interface Change<A> {
  readonly response: A;
  readonly postings: readonly Posting[];
  readonly grants: readonly Grant[];
}

/** The parts of the book, by id, that an operation must see. */
export interface Needs {
  readonly grants?: readonly string[];
  readonly grantRequests?: readonly string[];
  readonly holders?: readonly string[];
  readonly entries?: readonly string[];
  /** Keys whose budget is needed. */
  readonly budgets?: readonly string[];
  readonly sharedBudgets?: readonly string[];
}

/**
 * One change of one account. `decide` is pure: it may run several times, and counts only once its
 * rows are committed.
 */
export interface Operation<A> {
  readonly accountId: string;
  readonly needs: Needs;
  /**
   * The needed rows rarely exist, and each that does is one this operation would write. So it first
   * decides as if there were none, and looks them up only after a write conflicted with one.
   */
  readonly expectsNewEntries?: boolean;
  /** @throws {GatewayError} when the operation is refused; nothing changes then. */
  decide(book: Book): Change<A>;
}

/** A book that applies changes in memory and collects what must be written. */
export class WorkingBook implements Book {
  account: AccountState;
  readonly grants: Map<string, Grant>;
  readonly grantsByRequest: Map<string, Grant>;
  readonly holders: ReadonlyMap<string, HolderState>;
  readonly entries: Map<string, Money>;
  readonly budgets: ReadonlyMap<string, bigint>;
  readonly sharedBudgets: ReadonlyMap<string, SharedBudget>;
  readonly spent: Map<string, bigint>;
  readonly nowMs: number;
  readonly nextSeq: (after: bigint) => bigint;
  /** Charged by these changes. */
  readonly newSpending = new Spending();
  readonly newEntries: Entry[] = [];
  readonly changedGrants = new Map<string, Grant>();

  constructor(book: Book) {
    this.account = book.account;
    this.grants = new Map(book.grants);
    this.grantsByRequest = new Map(book.grantsByRequest);
    this.holders = book.holders;
    this.entries = new Map(book.entries);
    this.budgets = book.budgets;
    this.sharedBudgets = book.sharedBudgets;
    this.spent = new Map(book.spent);
    this.nowMs = book.nowMs;
    this.nextSeq = (after) => book.nextSeq(after);
  }

  /**
   * Decides one operation and applies its change as a whole or not at all.
   * @throws {GatewayError} the decision's refusal, or `internal_error` when the change would break
   * the books.
   */
  run<A>(operation: Operation<A>): A {
    const change = operation.decide(this);
    const folded = change.grants.reduce((sum, { id }) => addMoney(sum, this.#unfolded(id)), this.account.money);
    const money = change.postings.reduce((sum, posting) => addMoney(sum, posting.change), folded);
    if (!isSound(money) || !change.postings.every((posting) => isBalanced(posting.change))) {
      const cause = new Error(
        `rows ${change.postings.map((posting) => posting.id).join(", ")} would break the ledger's invariants`,
      );
      throw new GatewayError("internal_error", undefined, { cause });
    }
    this.account = { ...this.account, money: folded };
    const changed = new Map(change.grants.map((grant) => [grant.id, grant]));
    const last = new Map(change.postings.map((posting) => [posting.grantId, posting]));
    for (const posting of change.postings) {
      const grant = changed.get(posting.grantId ?? "");
      this.#append(posting, grant, last.get(posting.grantId) === posting);
    }
    for (const grant of change.grants) this.#keep({ ...grant, folded: grant.settled, seq: this.account.seq });
    return change.response;
  }

  /** Writing an account's row folds in what was charged to the grants written with it. */
  #unfolded(grantId: string): Money {
    const grant = this.grants.get(grantId);
    return moved(grant === undefined ? 0n : unfoldedOf(grant));
  }

  #keep(grant: Grant): void {
    this.grants.set(grant.id, grant);
    this.grantsByRequest.set(grant.requestId, grant);
    this.changedGrants.set(grant.id, grant);
  }

  #append(posting: Posting, grant: Grant | undefined, isLast: boolean): void {
    if (posting.event !== undefined) this.#spend(posting.event, posting.change.charged);
    const { id, money, repaid, seq, head } = this.account;
    const entry = chain(posting, {
      accountId: id,
      previousHash: head,
      atMs: this.nowMs,
      seq: this.nextSeq(larger(seq, grant?.seq ?? 0n)),
      ...(grant !== undefined && { grantHead: grant.head, endsGrant: isLast && !isLive(grant) }),
    });
    this.newEntries.push(entry);
    this.entries.set(entry.id, posting.change);
    this.account = {
      id,
      money: addMoney(money, posting.change),
      seq: entry.seq,
      head: entry.hash,
      repaid: posting.kind === "repayment" ? repaid + posting.change.charged : repaid,
    };
  }

  #spend(event: UsageEvent, charged: bigint): void {
    this.newSpending.add(event, charged);
    for (const id of [...keysOf(event), ...event.budgetIds]) this.spent.set(id, (this.spent.get(id) ?? 0n) + charged);
  }
}
