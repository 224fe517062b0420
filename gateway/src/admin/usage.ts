import { GatewayError } from "@uag/contract/errors/gateway-error";
import { eventListQuery, type UsageFilterFields, usageListQuery } from "@uag/contract/requests/admin-usage";
import type { UsageFilter } from "@uag/proto/metering/v1/metering.ts";
import { mapInTurns } from "@uag/runtime/pace";
import type { AdminHandler } from "./admin.ts";
import { checkedQuery, pageOf } from "./check.ts";
import type { AdminClients } from "./clients.ts";
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
  const { error_code: errorCode, min_duration_ms: minDurationMs, request: anyRequestId } = query;
  return {
    accountId: account,
    keyId: key,
    model,
    operation,
    fromMs: from,
    untilMs: until,
    ...(errorCode !== undefined && { errorCode }),
    ...(minDurationMs !== undefined && { minDurationMs }),
    ...(anyRequestId !== undefined && { anyRequestId }),
    ...(provider !== undefined && { upstream: provider }),
    ...(outcome !== undefined && { outcome: outcomeNamed(outcome) }),
    ...(status !== undefined && { status }),
    ...(minCost !== undefined && { minCostNanoUsd: minCost }),
  };
}

const maxTagged = 100;

/**
 * The filter, limited to the keys that have a tag: tags belong to keys.
 * @throws {GatewayError} `invalid_request` for a tag of more than 100 keys
 */
export async function withTag(
  { keys }: Pick<AdminClients, "keys">,
  filter: UsageFilter,
  tag: string | undefined,
): Promise<UsageFilter> {
  if (tag === undefined) return filter;
  const { accountId } = filter;
  const page = { limit: maxTagged, cursor: "" };
  const found = await keys.listKeys({ accountId, includeRevoked: true, tag, page });
  if (found.nextCursor !== "") {
    throw new GatewayError("invalid_request", `tag: more than ${maxTagged} keys have it. Filter by key.`, {
      param: "tag",
    });
  }
  return { ...filter, keys: { ids: found.keys.map(({ id }) => id) } };
}

export const listUsage: AdminHandler = async ({ clients, url }) => {
  const query = checkedQuery(usageListQuery, url);
  const request = { filter: filterOf(query), bucket: query.bucket, page: pageOf(query) };
  const { buckets, nextCursor } = await clients.metering.queryUsage(request, { timeoutMs });
  return { body: listOf(await mapInTurns(buckets, showBucket), nextCursor) };
};

export const listEvents: AdminHandler = async ({ clients, url }) => {
  const query = checkedQuery(eventListQuery, url);
  const filter = await withTag(clients, filterOf(query), query.tag);
  const request = { filter, page: pageOf(query) };
  const { events, nextCursor } = await clients.metering.listEvents(request, { timeoutMs });
  const data = await mapInTurns(events, (event) => ({ object: "usage_event", ...showEvent(event) }));
  return { body: listOf(data, nextCursor) };
};
