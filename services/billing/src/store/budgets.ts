import type { ClientSession } from "mongoose";
import { monthOf } from "../grants/budget.ts";
import type { Grant } from "../grants/grant.ts";
import { type GrantDocument, grantOf } from "./grants.ts";
import type { KeyDocument } from "./keys.ts";
import { type SpendingDocument, spendingId } from "./spending.ts";
import type { Store } from "./store.ts";

export interface Budgets {
  readonly budgets: Map<string, bigint>;
  readonly spent: Map<string, bigint>;
  /** The live grants of these keys. */
  readonly grants: Grant[];
}

/** Reads how the budgets of these keys stand. */
export async function readBudgets(
  store: Store,
  session: ClientSession,
  asked: { readonly keyIds: string[]; readonly accountId: string; readonly nowMs: number },
): Promise<Budgets> {
  const { keyIds, accountId, nowMs } = asked;
  if (keyIds.length === 0) return { budgets: new Map(), spent: new Map(), grants: [] };
  const month = monthOf(nowMs);
  const keys = await store.keys
    .find({ _id: { $in: keyIds }, accountId }, { limits: 1 })
    .session(session)
    .lean<KeyDocument[]>();
  const spending = await store.spending
    .find({ _id: { $in: keyIds.map((id) => spendingId(id, month)) } })
    .session(session)
    .lean<SpendingDocument[]>();
  const grants = await store.grants
    .find({ keyId: { $in: keyIds }, live: true })
    .session(session)
    .lean<GrantDocument[]>();
  const charged = new Map(spending.map((row) => [row._id, row.charged]));
  return {
    budgets: new Map(keys.map((key) => [key._id, key.limits.monthlyBudgetNanoUsd])),
    spent: new Map(keyIds.map((id) => [id, charged.get(spendingId(id, month)) ?? 0n])),
    grants: grants.map(grantOf),
  };
}

/** Adds what keys were charged to their month. */
export async function writeSpending(
  store: Store,
  session: ClientSession,
  book: { readonly newSpending: ReadonlyMap<string, bigint>; readonly nowMs: number },
): Promise<void> {
  if (book.newSpending.size === 0) return;
  const month = monthOf(book.nowMs);
  const writes = [...book.newSpending].map(([keyId, charged]) => ({
    updateOne: { filter: { _id: spendingId(keyId, month) as never }, update: { $inc: { charged } }, upsert: true },
  }));
  await store.spending.collection.bulkWrite(writes, { session });
}
