import { GatewayError } from "@uag/contract/errors/gateway-error";

/** Billing's and metering's names of fields that have other names in JSON. */
const paramNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "page.cursor": "after",
    "page.limit": "limit",
    cursor: "after",
    "filter.from_ms": "from",
    "filter.account_id": "account",
    amount_nano_usd: "amount_usd",
    cost_nano_usd: "cost_usd",
    expires_at_ms: "expires",
    overlap_ms: "overlap_seconds",
  }),
);

/** An error of billing's or metering's with the name of its field in JSON. */
export function inOurNames(error: unknown): unknown {
  if (!(error instanceof GatewayError) || error.param === undefined) return error;
  const { param, retryAfterMs, cause } = error;
  return new GatewayError(error.code, error.message, { param: paramNames.get(param) ?? param, retryAfterMs, cause });
}
