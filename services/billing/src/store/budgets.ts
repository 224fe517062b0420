import { budgetOfLevel } from "@uag/contract/end-users";
import { type BudgetDocument, sharedBudgetOf } from "@uag/ledger/documents/budgets";
import { type GrantDocument, grantOf } from "@uag/ledger/documents/grants";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import { oldSpendingId, ruleOfLevel, type SpendingDocument, spendingId } from "@uag/ledger/documents/spending";
import type { Store } from "@uag/ledger/documents/store";
import type { Book } from "@uag/ledger/rules/book";
import { type BudgetPeriod, monthOf, periodAt, type SharedBudget } from "@uag/ledger/rules/budget";
import { type Grant, leftOf } from "@uag/ledger/rules/grant";
import type { Charge } from "@uag/ledger/rules/spending";
import { dayOf } from "@uag/runtime/utc-days";
import type { ClientSession } from "mongoose";

/** What budgets allow, and what counts against them. */
export interface Budgets extends Pick<Book, "budgets" | "sharedBudgets" | "spent"> {
  /** The live grants that count toward them. */
  readonly grants: readonly Grant[];
}

interface InSession {
  readonly store: Store;
  readonly session: ClientSession | null;
}

interface Requested {
  readonly keyIds: string[];
  readonly budgetIds: string[];
  readonly accountIds: string[];
  readonly nowMs: number;
}

/** Reads the budgets of these keys, and these shared budgets. */
export async function readBudgets(options: InSession, requested: Requested): Promise<Budgets> {
  const own = await readOwn(options, requested);
  const shared = await readShared(options, requested);
  return {
    budgets: own.budgets,
    sharedBudgets: shared.sharedBudgets,
    spent: new Map([...own.spent, ...shared.spent]),
    grants: [...own.grants, ...shared.grants],
  };
}

async function readOwn({ store, session }: InSession, { keyIds, accountIds, nowMs }: Requested) {
  if (keyIds.length === 0) return { budgets: new Map<string, bigint>(), spent: new Map<string, bigint>(), grants: [] };
  const month = monthOf(nowMs);
  const accountId = { $in: accountIds };
  const keys = await store.keys
    .find({ _id: { $in: keyIds }, accountId }, { limits: 1, accountId: 1 })
    .session(session)
    .lean<KeyDocument[]>();
  const idsOf = (key: KeyDocument) => [spendingId(key.accountId, key._id, month), oldSpendingId(key._id, month)];
  const spending = await store.spending
    .find({ _id: { $in: keys.flatMap(idsOf) } })
    .session(session)
    .lean<SpendingDocument[]>();
  const grants = await store.grants
    .find({ accountId, keyId: { $in: keyIds }, live: true })
    .session(session)
    .lean<GrantDocument[]>();
  const charged = new Map(spending.map((row) => [row._id, row.charged]));
  const sum = (key: KeyDocument): bigint => idsOf(key).reduce((all, id) => all + (charged.get(id) ?? 0n), 0n);
  return {
    budgets: new Map(keys.map((key) => [key._id, key.limits.monthlyBudgetNanoUsd])),
    spent: new Map(keys.map((key) => [key._id, sum(key)])),
    grants: grants.map(grantOf),
  };
}

async function readShared(options: InSession, { budgetIds, accountIds, nowMs }: Requested) {
  if (budgetIds.length === 0) return { sharedBudgets: new Map(), spent: new Map<string, bigint>(), grants: [] };
  const { store, session } = options;
  const budgets = await store.budgets
    .find({ _id: { $in: [...new Set(budgetIds.map(budgetOfLevel))] }, accountId: { $in: accountIds } })
    .session(session)
    .lean<BudgetDocument[]>();
  const byId = new Map(budgets.map((budget) => [budget._id, budget]));
  const levels = budgetIds.flatMap((id) => {
    const budget = byId.get(budgetOfLevel(id));
    return budget === undefined ? [] : [countedLevel(budget, id)];
  });
  return {
    sharedBudgets: new Map<string, SharedBudget>(levels.map((level) => [level.id, level])),
    ...(await readUse(options, levels, nowMs)),
  };
}

/** A shared budget, or an end user's part of it. */
export type CountedLevel = SharedBudget & Pick<BudgetDocument, "accountId">;

/** @param levelId default: the budget itself */
export const countedLevel = (budget: BudgetDocument, levelId?: string): CountedLevel => ({
  ...sharedBudgetOf(budget, levelId),
  accountId: budget.accountId,
});

/** What counts against a level in its current period, nano-USD. */
export interface LevelUse {
  /** Charges. */
  readonly spentNanoUsd: bigint;
  /** What live grants have left. */
  readonly heldNanoUsd: bigint;
}

/** What counts against levels in their current periods, by a level's id. */
export async function levelUses(
  options: InSession,
  levels: readonly CountedLevel[],
  nowMs: number,
): Promise<(levelId: string) => LevelUse> {
  const { spent, grants } = await readUse(options, levels, nowMs);
  const held = new Map<string, bigint>();
  for (const grant of grants) for (const id of grant.budgetIds) held.set(id, (held.get(id) ?? 0n) + leftOf(grant));
  return (id) => ({ spentNanoUsd: spent.get(id) ?? 0n, heldNanoUsd: held.get(id) ?? 0n });
}

/** The charges of levels in their current periods, and the live grants that hold of them. */
async function readUse(
  { store, session }: InSession,
  levels: readonly CountedLevel[],
  nowMs: number,
): Promise<{ spent: Map<string, bigint>; grants: Grant[] }> {
  if (levels.length === 0) return { spent: new Map(), grants: [] };
  const spending = await store.spending
    .find({ $or: levels.map((level) => ({ _id: daysOf(level, nowMs) })) })
    .session(session)
    .lean<SpendingDocument[]>();
  const grants = await store.grants
    .find({
      accountId: { $in: [...new Set(levels.map(({ accountId }) => accountId))] },
      budgetIds: { $in: levels.map(({ id }) => id) },
      live: true,
    })
    .session(session)
    .lean<GrantDocument[]>();
  const spent = new Map<string, bigint>();
  for (const { _id, charged } of spending) {
    const [, budgetId = ""] = _id.split("/");
    spent.set(budgetId, (spent.get(budgetId) ?? 0n) + charged);
  }
  return { spent, grants: grants.map(grantOf) };
}

export const firstDay = (period: BudgetPeriod, nowMs: number): string =>
  period === "total" ? "" : dayOf(periodAt(period, nowMs).startMs);

/** The ids of a level's documents for the days of its current period. */
function daysOf({ id, accountId, period }: CountedLevel, nowMs: number) {
  return {
    $gte: spendingId(accountId, id, firstDay(period, nowMs)),
    $lte: spendingId(accountId, id, dayOf(nowMs)),
  };
}

/** Adds charges to the month of their key, and to the day of their shared budget. */
export async function writeSpending(
  { store, session }: { readonly store: Store; readonly session: ClientSession },
  charges: readonly Charge[],
  nowMs: number,
): Promise<void> {
  if (charges.length === 0) return;
  const [day, month] = [dayOf(nowMs), monthOf(nowMs)];
  const writes = charges.map(({ accountId, keyId, budgetId, charged }) => ({
    updateOne: {
      filter: {
        _id: (budgetId !== undefined
          ? spendingId(accountId, budgetId, day)
          : spendingId(accountId, keyId ?? "", month)) as never,
      },
      update: {
        $inc: { charged },
        $setOnInsert: { accountId, ...(budgetId !== undefined && ruleOfLevel(budgetId, day)) },
      },
      upsert: true,
    },
  }));
  await store.spending.collection.bulkWrite(writes, { session });
}
