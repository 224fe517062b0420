import { GatewayError } from "@uag/contract/errors/gateway-error";
import { billingUsageQuery } from "@uag/contract/requests/usage";
import type { MeteringServiceServer, UsageBucket } from "@uag/proto/metering/v1/metering.ts";
import { queryOf } from "@uag/runtime/http/target";
import type { RpcClient } from "@uag/runtime/rpc/client";
import type { ResolvedKey } from "../keys/key-cache.ts";
import type { Handler } from "../request-state.ts";
import { sendJson } from "../respond.ts";

const timeoutMs = 10_000;
const nanoPerCent = 1e7;
const dayMs = 86_400_000;
const pageSize = 1_000;
const maxPages = 100;

const startOf = (day: string | undefined): bigint => BigInt(day === undefined ? 0 : Date.parse(`${day}T00:00:00Z`));

type Metering = Pick<RpcClient<MeteringServiceServer>, "queryUsage">;

/**
 * The dates of a query in Unix milliseconds: from the start of one day (UTC) to the start of
 * another, exclusive.
 */
function rangeOf(url: string): { fromMs: bigint; untilMs: bigint } {
  const query = queryOf(url);
  const given = Object.fromEntries(
    ["start_date", "end_date"].flatMap((name) => query.getAll(name).map((v) => [name, v])),
  );
  const parsed = billingUsageQuery.safeParse(given);
  if (parsed.success) {
    const { start_date: from, end_date: until } = parsed.data;
    return { fromMs: startOf(from), untilMs: startOf(until) };
  }
  const param = parsed.error.issues[0]?.path.join(".");
  throw new GatewayError("invalid_request", `${param} must be a date such as 2025-01-31.`, { param });
}

const tooMuch = (cause?: unknown): GatewayError =>
  new GatewayError("invalid_request", "The range has too much usage. Request fewer days.", {
    param: "start_date",
    cause,
  });

async function dailyBuckets(metering: Metering, key: ResolvedKey, url: string): Promise<UsageBucket[]> {
  // Usage has the same scope as the subscription's limit: the key's budget, or the account's money.
  const keyId = key.ownBudget ? key.keyId : "";
  const filter = { accountId: key.accountId, keyId, model: "", operation: "", ...rangeOf(url) };
  const buckets: UsageBucket[] = [];
  let cursor = "";
  for (let page = 0; page < maxPages; page++) {
    const request = { filter, bucket: "day", page: { limit: pageSize, cursor } };
    const response = await metering.queryUsage(request, { timeoutMs }).catch((error: unknown) => {
      throw error instanceof GatewayError && error.param === "filter.from_ms" ? tooMuch(error) : error;
    });
    buckets.push(...response.buckets);
    cursor = response.nextCursor;
    if (cursor === "") return buckets;
  }
  throw tooMuch();
}

/** What was charged, nano-USD: the subscription's limit excludes write-offs too. */
const chargedOf = (bucket: UsageBucket): bigint => bucket.costNanoUsd - (bucket.writtenOffNanoUsd ?? 0n);

interface DailyCost {
  timestamp: number;
  line_items: { name: string; cost: number }[];
}

function dailyCosts(buckets: readonly UsageBucket[]): DailyCost[] {
  const days = new Map<number, Map<string, bigint>>();
  for (const bucket of buckets) {
    const start = Math.floor(Number(bucket.startMs) / dayMs) * (dayMs / 1_000);
    const models = days.get(start) ?? new Map<string, bigint>();
    models.set(bucket.model, (models.get(bucket.model) ?? 0n) + chargedOf(bucket));
    days.set(start, models);
  }
  const rows = [...days].map(([timestamp, models]) => ({
    timestamp,
    line_items: [...models].map(([name, nanoUsd]) => ({ name, cost: Number(nanoUsd) / nanoPerCent })),
  }));
  return rows.sort((a, b) => a.timestamp - b.timestamp);
}

/**
 * The spend of a key with a budget of its own, else of its account, in US cents, in the format of
 * OpenAI's former billing endpoint.
 */
export function usage(metering: Metering): Handler {
  return async (request, response) => {
    const { key } = response.locals;
    if (key === undefined) throw new GatewayError("invalid_api_key");
    const buckets = await dailyBuckets(metering, key, request.originalUrl);
    const total = buckets.reduce((sum, bucket) => sum + chargedOf(bucket), 0n);
    const body = { object: "list", total_usage: Number(total) / nanoPerCent, daily_costs: dailyCosts(buckets) };
    sendJson(request, response, 200, JSON.stringify(body));
  };
}
