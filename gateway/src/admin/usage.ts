import { GatewayError } from "@uag/contract/errors/gateway-error";
import { eventListQuery, type UsageFilterFields, usageListQuery } from "@uag/contract/requests/admin-usage";
import type { UsageFilter } from "@uag/proto/metering/v1/metering.ts";
import type { AdminHandler } from "./admin.ts";
import { checkedQuery, pageOf } from "./check.ts";
import { listOf } from "./json.ts";
import { outcomeNamed, showBucket, showEvent } from "./show-usage.ts";

const timeoutMs = 20_000;

/** @throws {GatewayError} `invalid_request` for a period that ends before it begins */
export function filterOf(query: UsageFilterFields): UsageFilter {
  const { from = 0n, until = 0n, account = "", key = "", model = "", operation = "" } = query;
  if (until !== 0n && until <= from) {
    throw new GatewayError("invalid_request", "until must be after from.", { param: "until" });
  }
  const { provider, outcome, status, min_cost_usd: minCost } = query;
  return {
    accountId: account,
    keyId: key,
    model,
    operation,
    fromMs: from,
    untilMs: until,
    ...(provider !== undefined && { upstream: provider }),
    ...(outcome !== undefined && { outcome: outcomeNamed(outcome) }),
    ...(status !== undefined && { status }),
    ...(minCost !== undefined && { minCostNanoUsd: minCost }),
  };
}

export const listUsage: AdminHandler = async ({ clients, url }) => {
  const query = checkedQuery(usageListQuery, url);
  const request = { filter: filterOf(query), bucket: query.bucket, page: pageOf(query) };
  const { buckets, nextCursor } = await clients.metering.queryUsage(request, { timeoutMs });
  return { body: listOf(buckets.map(showBucket), nextCursor) };
};

export const listEvents: AdminHandler = async ({ clients, url }) => {
  const query = checkedQuery(eventListQuery, url);
  const request = { filter: filterOf(query), page: pageOf(query) };
  const { events, nextCursor } = await clients.metering.listEvents(request, { timeoutMs });
  const data = events.map((event) => ({ object: "usage_event", ...showEvent(event) }));
  return { body: listOf(data, nextCursor) };
};
