import type { Call, Reply } from "../http/types.ts";
import type { LogEntry } from "../log/entry.ts";
import { dayOf, isMissing, listIn, pageOf, reported } from "../reports/buckets.ts";
import { costsOf, decimalOf } from "../reports/cost.ts";
import { type Charged, type CountName, type Counts, chargedOutput, none, numberAt, sumOf } from "../reports/counts.ts";
import { anthropicPrices, webSearchPrice } from "./prices.ts";
import { rejectAnthropic } from "./protocol.ts";

function countsOf(entry: LogEntry): Counts {
  const usage = entry.true_usage;
  return {
    ...none,
    input: numberAt(usage, "input_tokens"),
    cached: numberAt(usage, "cache_read_input_tokens"),
    write: numberAt(usage, "cache_creation", "ephemeral_5m_input_tokens"),
    write1h: numberAt(usage, "cache_creation", "ephemeral_1h_input_tokens"),
    output: chargedOutput(entry, numberAt(usage, "output_tokens")),
    webSearch: numberAt(usage, "server_tool_use", "web_search_requests"),
  };
}

function chargedIn(call: Call): Charged[] {
  return reported(call.served(), call.faults, Date.now())
    .filter(({ provider, operation }) => provider === "anthropic" && operation === "messages")
    .map((entry) => ({ day: dayOf(Date.parse(entry.at)), model: entry.model ?? "", entry, counts: countsOf(entry) }));
}

function timeIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw rejectAnthropic(400, `${name}: Input should be a valid datetime`);
  return time;
}

function pageReply(call: Call, resultsOf: (day: string) => object[]): Reply {
  const { query, faults } = call;
  const fromMs = timeIn(query, "starting_at");
  if (fromMs === undefined) throw rejectAnthropic(400, "starting_at: Field required");
  if ((query.get("bucket_width") ?? "1d") !== "1d")
    throw rejectAnthropic(400, "bucket_width: the simulator supports only buckets of 1d");
  const limit = Number(query.get("limit") ?? 7);
  if (!Number.isInteger(limit) || limit < 1 || limit > 31)
    throw rejectAnthropic(400, "limit: Input should be between 1 and 31");
  const untilMs = timeIn(query, "ending_at") ?? Date.now();
  const page = pageOf({ fromMs, untilMs, limit, page: query.get("page") });
  if (page === undefined) throw rejectAnthropic(400, "page: Invalid page token");
  const days = page.days.filter((day) => !isMissing(dayOf(day), faults, Date.now()));
  const data = days.map((day) => ({
    starting_at: `${dayOf(day)}T00:00:00Z`,
    ending_at: `${dayOf(day + 86_400_000)}T00:00:00Z`,
    results: resultsOf(dayOf(day)),
  }));
  return { type: "json", status: 200, body: { data, has_more: page.next !== null, next_page: page.next } };
}

/** `GET /v1/organizations/usage_report/messages` */
export function usageReport(call: Call): Reply {
  const byModel = listIn(call.query, "group_by").includes("model");
  const charged = chargedIn(call);
  let drift = call.faults["report-drift"] ?? 0;
  return pageReply(call, (day) => {
    const groups = Map.groupBy(
      charged.filter((each) => each.day === day),
      ({ model }) => (byModel ? model : null),
    );
    return [...groups].map(([model, attempts]) => {
      const sum = sumOf(attempts.map(({ counts }) => counts));
      const uncached = sum.input + drift;
      drift = 0;
      return {
        account_id: null,
        api_key_id: null,
        workspace_id: null,
        model,
        service_tier: null,
        context_window: null,
        inference_geo: null,
        uncached_input_tokens: uncached,
        cache_creation: { ephemeral_1h_input_tokens: sum.write1h, ephemeral_5m_input_tokens: sum.write },
        cache_read_input_tokens: sum.cached,
        output_tokens: sum.output,
        server_tool_use: { web_search_requests: sum.webSearch },
      };
    });
  });
}

const tokenTypes: Readonly<Partial<Record<CountName, string>>> = {
  input: "uncached_input_tokens",
  cached: "cache_read_input_tokens",
  write: "cache_creation.ephemeral_5m_input_tokens",
  write1h: "cache_creation.ephemeral_1h_input_tokens",
  output: "output_tokens",
};

interface Line {
  readonly model: string | null;
  readonly tokenType: string | null;
  pico: number;
}

function linesOf(charged: readonly Charged[]): Line[] {
  const lines = new Map<string, Line>();
  for (const { model, counts } of charged) {
    const rates = anthropicPrices[model.replace(/-\d{8}$/, "")] ?? {};
    for (const [name, pico] of costsOf(counts, { ...rates, webSearch: webSearchPrice })) {
      // Searches are a cost of their own, of no model.
      const tokenType = tokenTypes[name] ?? null;
      const key = tokenType === null ? "" : `${model} ${tokenType}`;
      const line = lines.get(key) ?? { model: tokenType === null ? null : model, tokenType, pico: 0 };
      line.pico += pico;
      lines.set(key, line);
    }
  }
  return [...lines.values()];
}

/** `GET /v1/organizations/cost_report`, by description. Amounts are decimal strings in cents. */
export function costReport(call: Call): Reply {
  const charged = chargedIn(call);
  let drift = (call.faults["report-drift"] ?? 0) * 1_000;
  return pageReply(call, (day) =>
    linesOf(charged.filter((each) => each.day === day)).map(({ model, tokenType, pico }) => {
      const amount = decimalOf(pico + drift, 10);
      drift = 0;
      return {
        amount,
        currency: "USD",
        cost_type: tokenType === null ? "web_search" : "tokens",
        description: tokenType === null ? "Web Search Usage" : `${model} Usage - ${tokenType}`,
        model,
        token_type: tokenType,
        context_window: tokenType === null ? null : "0-200k",
        service_tier: tokenType === null ? null : "standard",
        inference_geo: null,
        workspace_id: null,
      };
    }),
  );
}
