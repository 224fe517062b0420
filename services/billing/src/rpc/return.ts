import { GatewayError } from "@uag/kit/errors.ts";
import type { ReturnRequest, ReturnResponse } from "@uag/proto/billing/v1/grants.ts";
import type { Billing } from "../billing.ts";
import { returnOperation } from "../grants/return.ts";

/** Gives back part of a grant, or closes it. */
export async function returnGrant(billing: Billing, request: ReturnRequest): Promise<ReturnResponse> {
  const { grantId, sequence, amountNanoUsd: amount, close, spentNanoUsd: spent } = request;
  if (amount < 0n) throw new GatewayError("invalid_request", undefined, { param: "amount_nano_usd" });
  if (spent < 0n) throw new GatewayError("invalid_request", undefined, { param: "spent_nano_usd" });
  const grant = await billing.store.grants.findById(grantId, { accountId: 1 }).lean<{ accountId: string }>();
  if (grant === null) throw new GatewayError("not_found", "There is no such grant.", { param: "grant_id" });
  const returned = await billing.queue.submit(
    returnOperation({ grantId, accountId: grant.accountId, sequence, amount, close, spent }),
  );
  billing.events.returned({ grantId, amount: returned, closed: close });
  return {};
}
