import { GatewayError } from "@uag/contract/errors/gateway-error";
import { usdText } from "@uag/runtime/usd";
import type { Receipt } from "./record.ts";

/**
 * The error for a request that ran but has no stored response, and will not run again: the client
 * gets the receipt instead.
 */
export function resultLost({ requestId, costNanoUsd }: Receipt): GatewayError {
  const billed = costNanoUsd === undefined ? "has no bill so far" : `was billed ${usdText(costNanoUsd)} USD`;
  const text = `The request with this Idempotency-Key ran as ${requestId} and ${billed}, but its response was lost. The account's usage lists it under that id. To run and pay for it again, send another key.`;
  const headers = ["x-gateway-billed-request-id", requestId];
  if (costNanoUsd !== undefined) headers.push("x-gateway-cost-usd", usdText(costNanoUsd));
  return new GatewayError("idempotency_result_lost", text, { headers });
}
