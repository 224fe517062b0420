import { billingUsageQuery } from "@uag/contract/requests/usage";
import { subscription, usage } from "@uag/contract/responses/billing";
import { z } from "zod";
import type { Exchange } from "../exchange.ts";
import type { ApiRequest } from "../gateway/public-api.ts";
import { present } from "./schemas.ts";
import { defineTool } from "./tool.ts";

export const quota = z.object({
  plan: subscription.shape.plan,
  limit_usd: z.number().describe("Total money, spent and unspent."),
  spent_usd: z.number(),
  left_usd: z.number(),
  access_until: subscription.shape.access_until.describe("When the key expires, Unix time in seconds."),
});

const get = (path: string, signal: AbortSignal): ApiRequest => ({ method: "GET", path, signal });
const centsPerUsd = 100;
/** A cost for each model on each day of some years. */
const maxResponseBytes = 4 * 1024 * 1024;
const usdOf = (cents: number): number => Number((cents / centsPerUsd).toFixed(9));

/** The limits and the balance of the caller's key. */
export async function quotaOf(exchange: Exchange, signal: AbortSignal): Promise<z.infer<typeof quota>> {
  const [limit, spent] = await Promise.all([
    exchange.call(get("/v1/dashboard/billing/subscription", signal)),
    exchange.call(get("/v1/dashboard/billing/usage", signal)),
  ]);
  const { plan, hard_limit_usd, access_until } = subscription.parse(await exchange.readJson(limit, maxResponseBytes));
  const spentUsd = usdOf(usage.parse(await exchange.readJson(spent, maxResponseBytes)).total_usage);
  return {
    plan,
    limit_usd: hard_limit_usd,
    spent_usd: spentUsd,
    left_usd: Number((hard_limit_usd - spentUsd).toFixed(9)),
    access_until,
  };
}

export const getQuota = defineTool({
  name: "get_quota",
  title: "Get the quota",
  description: "Returns how much this key may spend, has spent and has left. Free.",
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  input: z.object({}),
  output: quota,
  run: async (_args, { exchange, signal }) => ({ structured: await quotaOf(exchange, signal) }),
});

const { start_date, end_date } = billingUsageQuery.shape;

export const getUsage = defineTool({
  name: "get_usage",
  title: "Get the usage",
  description: "Returns spending by day and model. Free.",
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  input: z.object({
    start_date: start_date.describe("The first day, such as 2026-01-31 (UTC)."),
    end_date: end_date.describe("The day after the last."),
  }),
  output: z.object({
    total_usd: z.number(),
    days: z.array(
      z.object({
        date: z.string(),
        models: z.array(z.object({ model: z.string(), usd: z.number() })),
      }),
    ),
  }),
  async run(dates, { exchange, signal }) {
    const query = new URLSearchParams(present(dates));
    const response = await exchange.call(get(`/v1/dashboard/billing/usage?${query}`, signal));
    const { total_usage, daily_costs } = usage.parse(await exchange.readJson(response, maxResponseBytes));
    const days = daily_costs.map(({ timestamp, line_items }) => ({
      date: new Date(timestamp * 1_000).toISOString().slice(0, 10),
      models: line_items.map(({ name, cost }) => ({ model: name, usd: usdOf(cost) })),
    }));
    return { structured: { total_usd: usdOf(total_usage), days } };
  },
});
