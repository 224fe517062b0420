import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { AccountDocument } from "@uag/ledger/documents/accounts";
import type { BudgetDocument } from "@uag/ledger/documents/budgets";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import { smaller } from "@uag/ledger/rules/money";
import type { GetSubscriptionRequest, Subscription } from "@uag/proto/billing/v1/accounts.ts";
import type { Billing } from "../billing.ts";

/** What a key may spend of its account's money, if that is limited, nano-USD; else 0. */
async function budgetOf({ store }: Billing, key: KeyDocument | null): Promise<bigint> {
  if (key?.envelope === undefined) return key?.limits.monthlyBudgetNanoUsd ?? 0n;
  const envelope = await store.budgets.findById(key.envelope.ids[0]).lean<BudgetDocument>();
  return envelope?.amount ?? 0n;
}

/**
 * The quota of a key as OpenAI-style dashboards show it: all the money its account was ever given,
 * used or not, and at most the key's monthly budget or envelope. Write-offs, and the top-ups that repaid them,
 * do not count, because usage does not include them either.
 */
export async function getSubscription(billing: Billing, request: GetSubscriptionRequest): Promise<Subscription> {
  const { accounts, keys, ledger } = billing.store;
  const { accountId, keyId } = request;
  const [account, key, topUp] = await Promise.all([
    accounts.findById(accountId).lean<AccountDocument>(),
    keyId === "" ? null : keys.findOne({ _id: keyId, accountId }).lean<KeyDocument>(),
    ledger.exists({ accountId, kind: "top_up" }).sort({ seq: 1 }),
  ]);
  if (account === null) throw new GatewayError("not_found", "The account does not exist.", { param: "account_id" });
  if (key === null && keyId !== "") throw new GatewayError("not_found", "The key does not exist.", { param: "key_id" });
  const total = account.toppedUp - account.writtenOff - (account.repaid ?? 0n);
  const budget = await budgetOf(billing, key);
  return {
    hasPaymentMethod: topUp !== null,
    planId: "payg",
    planTitle: "Pay as you go",
    hardLimitNanoUsd: budget > 0n ? smaller(total, budget) : total,
    systemHardLimitNanoUsd: total,
    accessUntil: BigInt(Math.floor((key?.expiresAt?.getTime() ?? 0) / 1_000)),
  };
}
