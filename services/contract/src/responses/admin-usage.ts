import { z } from "zod";
import { count, nano, outcomes, seriesBuckets, seriesGroupings, time, usd } from "./admin-fields.ts";

/** The record of one request and its bill. */
export const usageEvent = z.object({
  request_id: z.string(),
  account_id: z.string(),
  key_id: z.string(),
  operation: z.string(),
  model: z.string(),
  upstream: z.string().describe("The provider that answered; empty when none was asked."),
  upstream_model: z.string().describe("The model's name there."),
  started_at: time.nullable(),
  ended_at: time.nullable(),
  outcome: z.enum(["unspecified", ...outcomes]).describe("How the request ended."),
  settlement_rule: z
    .enum([
      "unspecified",
      "completed",
      "drained",
      "aborted_estimate",
      "nothing_owed",
      "last_checkpoint",
      "failed_usage",
      "failed_estimate",
      "unpriced_units",
      "implausible_usage",
    ])
    .describe(
      "The rule by which the bill was made. A failed request is billed only if its provider reported usage with the failure (`failed_usage`), or sent a response that the gateway could not use (`failed_estimate`). Two rules charge provisionally until an operator corrects the charge: the larger of the hold and the known cost when a reported unit has no price (`unpriced_units`), and the hold when the reported usage would cost more than ten times the hold (`implausible_usage`).",
    ),
  pricing: z
    .enum(["unspecified", "exact", "estimated", "unpriced"])
    .describe(
      "What is known of the price. An `unpriced` request is charged provisionally until an operator corrects the charge.",
    ),
  cost_usd: usd,
  cost_nano_usd: nano,
  price_version: z.string().describe("Of the catalogue that the price is from."),
  units: z.record(z.string(), count).describe("What is paid for, by unit."),
  raw_usage: z.unknown().describe("What the provider said of the usage; null when it said nothing."),
  attempts: count.describe("Calls to providers."),
  status: count.describe("The HTTP status that the client was told."),
  stream: z.boolean(),
  first_byte_ms: count.nullable().describe("Of a stream: milliseconds from its admission to its first bytes."),
  trace_id: z.string().nullable().describe("From the request's `traceparent`, or of the gateway's own trace."),
});

/** A usage event as a row of a listing. */
export const listedUsageEvent = z.object({ object: z.literal("usage_event"), ...usageEvent.shape });

/** Usage of one group in one period. */
export const usageBucket = z.object({
  object: z.literal("usage_bucket"),
  start: time,
  account_id: z.string(),
  key_id: z.string(),
  model: z.string(),
  operation: z.string(),
  provider: z.string().describe("The one that answered, or failed last; empty when none was reached."),
  requests: count,
  cost_usd: usd,
  cost_nano_usd: nano,
  written_off_usd: usd,
  written_off_nano_usd: nano,
  units: z.record(z.string(), count),
});

const percentiles = z
  .object({ count: count.describe("Requests that were timed."), p50: count, p95: count, p99: count })
  .nullable()
  .describe("Milliseconds, right to the bin of a histogram; null when none was timed.");

const measures = {
  requests: count,
  errors: z
    .object({
      rate_limited: count.describe("The client was told 429 by a provider's limit."),
      client_error: count.describe("Another 4xx: something was wrong with the request."),
      upstream_error: count.describe("Providers failed, before or within the answer."),
      client_left: count.describe("The client left before the end."),
      crashed: count.describe("The gateway's process died meanwhile."),
    })
    .describe("Admitted requests that did not end well, each in one class."),
  cost_usd: usd,
  cost_nano_usd: nano,
  written_off_usd: usd,
  written_off_nano_usd: nano,
  input_tokens: count.describe("All that were read, those from a cache included."),
  cached_input_tokens: count,
  output_tokens: count,
  latency_ms: percentiles,
  first_byte_ms: percentiles,
};

/** Usage over time, for charts. */
export const usageSeries = z.object({
  object: z.literal("usage_series"),
  bucket: z.enum(seriesBuckets),
  group_by: z.enum(seriesGroupings),
  from: time,
  until: time,
  groups: z
    .array(
      z.object({
        name: z.string().nullable().describe("The account, key, model, operation or provider; null without groups."),
        other: z.boolean().describe("True: all that are not told apart, in one."),
        total: z.object(measures),
        points: z
          .array(z.object({ start: time, ...measures }))
          .describe("Oldest first; times without requests are left out."),
      }),
    )
    .describe("The one that costs most first, what the others come to last."),
});
