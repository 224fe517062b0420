import { type GrantDocument, grantOf } from "@uag/ledger/documents/grants";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import { oldSpendingId, type SpendingDocument, spendingId } from "@uag/ledger/documents/spending";
import type { Store } from "@uag/ledger/documents/store";
import { monthOf } from "@uag/ledger/rules/budget";
import type { KeyCharge } from "@uag/ledger/rules/escrow";
import type { Grant } from "@uag/ledger/rules/grant";
import type { ClientSession } from "mongoose";

export interface Budgets {
  readonly budgets: Map<string, bigint>;
  readonly spent: Map<string, bigint>;
  /** The live grants of these keys. */
  readonly grants: Grant[];
}

interface InSession {
  readonly store: Store;
  readonly session: ClientSession;
}

/** Reads the budgets of these keys and what counts against them. */
export async function readBudgets(
  { store, session }: InSession,
  requested: { readonly keyIds: string[]; readonly accountIds: string[]; readonly nowMs: number },
): Promise<Budgets> {
  const { keyIds, nowMs } = requested;
  if (keyIds.length === 0) return { budgets: new Map(), spent: new Map(), grants: [] };
  const month = monthOf(nowMs);
  const accountId = { $in: requested.accountIds };
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

/** Adds charges of keys to their month. */
export async function writeSpending(
  { store, session }: InSession,
  charges: readonly KeyCharge[],
  nowMs: number,
): Promise<void> {
  if (charges.length === 0) return;
  const month = monthOf(nowMs);
  const writes = charges.map(({ accountId, keyId, charged }) => ({
    updateOne: {
      filter: { _id: spendingId(accountId, keyId, month) as never },
      update: { $inc: { charged }, $setOnInsert: { accountId } },
      upsert: true,
    },
  }));
  await store.spending.collection.bulkWrite(writes, { session });
}
