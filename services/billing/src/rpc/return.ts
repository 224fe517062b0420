import { GatewayError } from "@uag/contract/errors/gateway-error";
import { returnOperation } from "@uag/ledger/rules/return";
import type {
  ReturnManyRequest,
  ReturnManyResponse,
  ReturnOutcome,
  ReturnRequest,
  ReturnResponse,
} from "@uag/proto/billing/v1/grants.ts";
import type { Billing } from "../billing.ts";

const maxConcurrent = 1_000;

/** Older callers do not send the account of the grant. */
async function ownerOf(billing: Billing, { grantId, accountId }: ReturnRequest): Promise<string> {
  if (accountId) return accountId;
  const grant = await billing.store.grants.findById(grantId, { accountId: 1 }).lean<{ accountId: string }>();
  if (grant === null) throw new GatewayError("not_found", "The grant does not exist.", { param: "grant_id" });
  return grant.accountId;
}

/** Returns part of a grant, or closes it. */
export async function returnGrant(billing: Billing, request: ReturnRequest): Promise<ReturnResponse> {
  const { grantId, sequence, amountNanoUsd: amount, close, spentNanoUsd: spent } = request;
  if (amount < 0n) throw new GatewayError("invalid_request", undefined, { param: "amount_nano_usd" });
  if (spent < 0n) throw new GatewayError("invalid_request", undefined, { param: "spent_nano_usd" });
  const accountId = await ownerOf(billing, request);
  const returned = await billing.queue.submit(returnOperation({ grantId, accountId, sequence, amount, close, spent }));
  billing.events.returned({ grantId, amount: returned, closed: close });
  return {};
}

async function outcomeOf(billing: Billing, request: ReturnRequest): Promise<ReturnOutcome> {
  try {
    await returnGrant(billing, request);
    return { refused: "", again: false };
  } catch (error) {
    if (!(error instanceof GatewayError) || error.retryable) return { refused: "", again: true };
    return { refused: error.message, again: false };
  }
}

/** Returns parts of many grants, committed together whatever their accounts. */
export async function returnMany(billing: Billing, request: ReturnManyRequest): Promise<ReturnManyResponse> {
  if (request.returns.length > maxConcurrent) {
    throw new GatewayError("invalid_request", `At most ${maxConcurrent} returns can be sent at once.`, {
      param: "returns",
    });
  }
  return { outcomes: await Promise.all(request.returns.map((one) => outcomeOf(billing, one))) };
}
