import { GatewayError } from "@uag/contract/errors/gateway-error";
import { entryId } from "@uag/ledger/rules/entry";
import { maxAmount } from "@uag/ledger/rules/money";
import { topUpOperation } from "@uag/ledger/rules/top-up";
import type { Account, TopUpRequest } from "@uag/proto/billing/v1/accounts.ts";
import { recordOnce } from "../audit/record.ts";
import type { Billing } from "../billing.ts";
import { getAccount } from "./get-account.ts";

const maxReferenceLength = 200;

function check(request: TopUpRequest): void {
  const { amountNanoUsd: amount, reference } = request;
  if (amount === 0n || amount > maxAmount || amount < -maxAmount) {
    throw new GatewayError("invalid_request", "The amount is zero or too large.", { param: "amount_nano_usd" });
  }
  if (reference === "" || reference.length > maxReferenceLength) {
    throw new GatewayError("invalid_request", "A top-up requires a reference of 1 to 200 characters.", {
      param: "reference",
    });
  }
}

/**
 * The record has its row's id, so that a call repeated after a crash adds what is missing and
 * nothing twice.
 */
async function recordTopUp(billing: Billing, request: TopUpRequest): Promise<void> {
  const { accountId, amountNanoUsd, reference, note, actor } = request;
  const after = JSON.stringify({ amount_nano_usd: String(amountNanoUsd), reference, note });
  const change = { actor, action: amountNanoUsd < 0n ? "account.correct" : "account.top_up", accountId, after };
  await recordOnce(billing, { ...change, targetId: accountId }, entryId.topUp(accountId, reference));
}

/** Adds money, or takes available money away; once per reference. */
export async function topUp(billing: Billing, request: TopUpRequest): Promise<Account> {
  check(request);
  const { accountId, amountNanoUsd: amount, reference, note } = request;
  try {
    const isNew = await billing.queue.submit(topUpOperation({ accountId, amount, reference, note }));
    if (isNew) billing.events.toppedUp({ accountId, amount, reference });
    await recordTopUp(billing, request);
  } catch (error) {
    if (error instanceof GatewayError && error.code === "insufficient_balance") {
      billing.events.correctionRefused({ accountId, amount });
    }
    throw error;
  }
  return getAccount(billing, { id: accountId });
}
