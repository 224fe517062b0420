import { type BudgetDocument, sharedBudgetOf } from "@uag/ledger/documents/budgets";
import { type GrantDocument, grantOf } from "@uag/ledger/documents/grants";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import { oldSpendingId, type SpendingDocument, spendingId } from "@uag/ledger/documents/spending";
import type { Store } from "@uag/ledger/documents/store";
import type { Book } from "@uag/ledger/rules/book";
import { type BudgetPeriod, monthOf, periodAt } from "@uag/ledger/rules/budget";
import type { Grant } from "@uag/ledger/rules/grant";
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
    .find({ _id: { $in: budgetIds }, accountId: { $in: accountIds } })
    .session(session)
    .lean<BudgetDocument[]>();
  return {
    sharedBudgets: new Map(budgets.map((budget) => [budget._id, sharedBudgetOf(budget)])),
    ...(await readUse(options, budgets, nowMs)),
  };
}

/** What counts against shared budgets in their current periods: charges, and live grants. */
export async function readUse(
  { store, session }: InSession,
  budgets: readonly BudgetDocument[],
  nowMs: number,
): Promise<{ spent: Map<string, bigint>; grants: Grant[] }> {
  if (budgets.length === 0) return { spent: new Map(), grants: [] };
  const spending = await store.spending
    .find({ $or: budgets.map((budget) => ({ _id: daysOf(budget, nowMs) })) })
    .session(session)
    .lean<SpendingDocument[]>();
  const grants = await store.grants
    .find({
      accountId: { $in: [...new Set(budgets.map(({ accountId }) => accountId))] },
      budgetIds: { $in: budgets.map(({ _id }) => _id) },
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

const firstDay = (period: BudgetPeriod, nowMs: number): string =>
  period === "total" ? "" : dayOf(periodAt(period, nowMs).startMs);

/** The ids of a budget's documents for the days of its current period. */
function daysOf({ _id, accountId, period }: BudgetDocument, nowMs: number) {
  return {
    $gte: spendingId(accountId, _id, firstDay(period, nowMs)),
    $lte: spendingId(accountId, _id, dayOf(nowMs)),
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
      update: { $inc: { charged }, $setOnInsert: { accountId } },
      upsert: true,
    },
  }));
  await store.spending.collection.bulkWrite(writes, { session });
}
