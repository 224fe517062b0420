import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import type { Actor } from "@uag/proto/common/v1/actor.ts";
import { recordChange } from "../audit/record.ts";
import type { Billing } from "../billing.ts";
import type { Transaction } from "../store/transaction.ts";
import { keySnapshot } from "./fields.ts";

type Changed = Readonly<Record<string, unknown>> | undefined;

export interface KeyChange {
  readonly id: string;
  readonly action: string;
  readonly actor: Actor | undefined;
  /** The fields to set, by path in the document; undefined: nothing changes. */
  decide(key: KeyDocument, transaction: Transaction): Changed | Promise<Changed>;
}

/**
 * Changes a key and records the change in the audit log, in one transaction.
 * @throws {GatewayError} `not_found`
 */
export async function changeKey(billing: Billing, change: KeyChange): Promise<KeyDocument> {
  const { accounts, keys } = billing.store;
  return billing.transact(async (transaction) => {
    const { session } = transaction;
    const before = await keys.findById(change.id).session(session).lean<KeyDocument>();
    if (before === null) throw new GatewayError("not_found", "The key does not exist.", { param: "id" });
    const set = await change.decide(before, transaction);
    if (set === undefined) return before;
    const after = await keys
      .findOneAndUpdate({ _id: change.id }, { $set: set, $inc: { version: 1n } }, { session, returnDocument: "after" })
      .lean<KeyDocument>();
    if (after === null) throw new GatewayError("not_found", "The key does not exist.", { param: "id" });
    // Conflicts with a grant of the account that is being issued by the former budget.
    if (after.limits.monthlyBudgetNanoUsd !== before.limits.monthlyBudgetNanoUsd)
      await accounts.updateOne({ _id: before.accountId }, { $inc: { version: 1n } }, { session });
    await recordChange(billing.store, transaction, {
      actor: change.actor,
      action: change.action,
      targetId: change.id,
      accountId: before.accountId,
      before: keySnapshot(before),
      after: keySnapshot(after),
    });
    return after;
  });
}
