import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { UsageFilter } from "@uag/proto/metering/v1/metering.ts";
import { z } from "zod";
import type { AdminHandler } from "./admin.ts";
import { checkedQuery } from "./check.ts";
import { id, name, pageFields, pageOf, time, usd } from "./fields.ts";
import { listOf } from "./json.ts";
import { outcomeNamed, showBucket, showEvent } from "./show-usage.ts";

const timeoutMs = 20_000;
const usdParam = usd.refine((nano) => nano >= 0n, "A cost is 0 or more.");

/** Which usage is asked for. */
export const filterFields = {
  from: time.optional(),
  until: time.optional(),
  account: id.optional(),
  key: id.optional(),
  model: name.optional(),
  operation: name.optional(),
  provider: name.optional(),
} as const;

/** Which of single requests. */
export const eventFields = {
  outcome: z.enum(["completed", "disconnected", "failed", "crashed"]).optional(),
  status: z
    .string()
    .regex(/^[1-5]\d\d$/, "A status is one of HTTP.")
    .transform(Number)
    .optional()
    .describe("The HTTP status that the client was told."),
  min_cost_usd: usdParam.optional().describe("Only requests that cost so much or more, in USD."),
} as const;

export const bucketQuery = z.strictObject({
  ...pageFields,
  ...filterFields,
  bucket: z.enum(["hour", "day"]).default("day"),
});
export const eventQuery = z.strictObject({ ...pageFields, ...filterFields, ...eventFields });

type Filter = z.output<z.ZodObject<typeof filterFields>> & Partial<z.output<z.ZodObject<typeof eventFields>>>;

/** @throws {GatewayError} `invalid_request` for a time that ends before it begins */
export function filterOf(query: Filter): UsageFilter {
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
  const query = checkedQuery(bucketQuery, url);
  const request = { filter: filterOf(query), bucket: query.bucket, page: pageOf(query) };
  const { buckets, nextCursor } = await clients.metering.queryUsage(request, { timeoutMs });
  return { body: listOf(buckets.map(showBucket), nextCursor) };
};

export const listEvents: AdminHandler = async ({ clients, url }) => {
  const query = checkedQuery(eventQuery, url);
  const request = { filter: filterOf(query), page: pageOf(query) };
  const { events, nextCursor } = await clients.metering.listEvents(request, { timeoutMs });
  const data = events.map((event) => ({ object: "usage_event", ...showEvent(event) }));
  return { body: listOf(data, nextCursor) };
};
