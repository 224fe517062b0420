import type { KeyDocument } from "@uag/ledger/documents/keys";
import type { Store } from "@uag/ledger/documents/store";
import type { Transaction } from "../store/transaction.ts";
import type { EnvelopeBudget } from "./fields.ts";

/** Envelopes to close: an envelope with those below it, or all that a key opened. */
type Closing = { readonly chain: string } | { readonly "envelope.rootKeyId": string };

/**
 * Closes those that are open, and revokes their keys. Writes the account's row, so that no envelope
 * is opened and no grant issued in one of them meanwhile.
 * @returns the keys, to be announced after the commit
 */
export async function closeEnvelopes(
  { accounts, budgets, keys }: Pick<Store, "accounts" | "budgets" | "keys">,
  { session, at }: Transaction,
  { accountId, which }: { readonly accountId: string; readonly which: Closing },
): Promise<KeyDocument[]> {
  await accounts.updateOne({ _id: accountId }, { $inc: { version: 1n } }, { session });
  const open = await budgets
    .find({ ...which, accountId, "envelope.closedAt": null, "envelope.expiresAt": { $gt: at } })
    .session(session)
    .lean<EnvelopeBudget[]>();
  if (open.length === 0) return [];
  const ids = { $in: open.map(({ _id }) => _id) };
  await budgets.updateMany({ _id: ids }, { $set: { "envelope.closedAt": at } }, { session });
  const own = { _id: { $in: open.map(({ envelope }) => envelope.keyId) }, revokedAt: null };
  const found = await keys.find(own).session(session).lean<KeyDocument[]>();
  await keys.updateMany(own, { $set: { revokedAt: at }, $inc: { version: 1n } }, { session });
  return found;
}
