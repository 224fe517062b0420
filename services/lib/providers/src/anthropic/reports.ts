import { dayAfter, dayOf } from "@uag/runtime/utc-days";
import { scaledDecimal } from "@uag/untrusted/decimal";
import { z } from "zod";
import { type ReportAccess, readReport } from "../reports/client.ts";
import {
  attoUsdScale,
  type DayRange,
  type ProviderReports,
  ReportError,
  type ReportedCost,
  type ReportedUsage,
} from "../reports/types.ts";

const count = z.int().min(0).nullish();
const results = <T extends z.ZodType>(result: T) =>
  z.object({ starting_at: z.iso.datetime({ offset: true }), results: z.array(result) });

const messages = z.object({
  model: z.string().nullish(),
  uncached_input_tokens: z.int().min(0),
  cache_read_input_tokens: z.int().min(0),
  cache_creation: z.object({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count }).nullish(),
  output_tokens: z.int().min(0),
  server_tool_use: z.object({ web_search_requests: count }).nullish(),
});
const cost = z.object({
  amount: z.union([z.string(), z.number()]),
  currency: z.string(),
  model: z.string().nullish(),
  workspace_id: z.string().nullish(),
});

const reported: ReadonlySet<string> = new Set([
  "input_tokens",
  "cached_input_tokens",
  "cache_write_5m_tokens",
  "cache_write_1h_tokens",
  "output_tokens",
  "web_searches",
]);

function unitReported(_operation: string, unit: string): string | undefined {
  // Fast mode is reported with the rest: grouping by speed needs a beta header.
  const name = unit.split(":", 1)[0] as string;
  return reported.has(name) ? name : undefined;
}

/** `claude-haiku-4-5-20251001` -> `claude-haiku-4-5` */
const modelReported = (model: string): string => model.replace(/-\d{8}$/, "");

function unitsOf(result: z.infer<typeof messages>): ReadonlyMap<string, bigint> {
  const counts: Readonly<Record<string, number>> = {
    input_tokens: result.uncached_input_tokens,
    cached_input_tokens: result.cache_read_input_tokens,
    cache_write_5m_tokens: result.cache_creation?.ephemeral_5m_input_tokens ?? 0,
    cache_write_1h_tokens: result.cache_creation?.ephemeral_1h_input_tokens ?? 0,
    output_tokens: result.output_tokens,
    web_searches: result.server_tool_use?.web_search_requests ?? 0,
  };
  const used = Object.entries(counts).filter(([, quantity]) => quantity > 0);
  return new Map(used.map(([name, quantity]) => [name, BigInt(quantity)]));
}

const maxDays = "31";

function queryOf({ first, last }: DayRange): URLSearchParams {
  const times = { starting_at: `${first}T00:00:00Z`, ending_at: `${dayAfter(last)}T00:00:00Z` };
  return new URLSearchParams({ ...times, bucket_width: "1d", limit: maxDays });
}

const dayStarting = (text: string): string => dayOf(Date.parse(text));

async function readUsage(access: ReportAccess, days: DayRange, workspace: string | undefined, signal: AbortSignal) {
  const query = queryOf(days);
  query.append("group_by[]", "model");
  if (workspace !== undefined) query.append("workspace_ids[]", workspace);
  const request = { path: "/v1/organizations/usage_report/messages", query, bucket: results(messages), signal };
  const found = new Map<string, ReportedUsage[]>();
  for (const bucket of await readReport(access, request)) {
    const rows = bucket.results.map((row) => ({ model: modelReported(row.model ?? ""), units: unitsOf(row) }));
    const day = dayStarting(bucket.starting_at);
    found.set(day, [...(found.get(day) ?? []), ...rows]);
  }
  return found;
}

/** Amounts are decimal strings in cents: `"123.45"` is 1.2345 USD. */
function costOf({ provider }: ReportAccess, row: z.infer<typeof cost>): ReportedCost {
  const attoUsd = row.currency === "USD" ? scaledDecimal(String(row.amount), attoUsdScale - 2) : undefined;
  if (attoUsd === undefined)
    throw new ReportError(`${provider}'s costs have an amount that is not in USD: ${row.amount} ${row.currency}.`);
  return { model: row.model == null ? undefined : modelReported(row.model), attoUsd };
}

async function readCosts(access: ReportAccess, days: DayRange, workspace: string | undefined, signal: AbortSignal) {
  const query = queryOf(days);
  query.append("group_by[]", "description");
  // This report has no filter for a workspace.
  if (workspace !== undefined) query.append("group_by[]", "workspace_id");
  const request = { path: "/v1/organizations/cost_report", query, bucket: results(cost), signal };
  const found = new Map<string, ReportedCost[]>();
  for (const bucket of await readReport(access, request)) {
    const rows = bucket.results.filter((row) => workspace === undefined || row.workspace_id === workspace);
    const day = dayStarting(bucket.starting_at);
    found.set(day, [...(found.get(day) ?? []), ...rows.map((row) => costOf(access, row))]);
  }
  return found;
}

/**
 * Anthropic's usage and cost reports
 * (https://platform.claude.com/docs/en/manage-claude/usage-cost-api). Days are UTC. Costs of the
 * priority tier are not in them.
 * @param workspace counts only this workspace; undefined: the whole organization
 */
export function anthropicReports(access: ReportAccess, workspace: string | undefined): ProviderReports {
  return {
    unitReported,
    modelReported,
    usage: (days, signal) => readUsage(access, days, workspace, signal),
    costs: (days, signal) => readCosts(access, days, workspace, signal),
  };
}
