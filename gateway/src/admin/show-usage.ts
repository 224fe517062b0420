import type { usageBucket, usageEvent } from "@uag/contract/responses/admin-usage";
import type { Shown } from "@uag/contract/responses/shown";
import type { UsageBucket } from "@uag/proto/metering/v1/metering.ts";
import { Outcome, Pricing, SettlementRule, type Unit, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { usdText } from "@uag/runtime/usd";
import { timeText } from "./json.ts";

const unitsOf = (units: readonly Unit[]): Record<string, bigint> =>
  Object.fromEntries(units.map(({ name, quantity }) => [name, quantity]));

type Event = Shown<typeof usageEvent>;

// Values of a newer service are not among them, and are shown as unspecified.
const outcomes: Partial<Record<Outcome, Event["outcome"]>> = {
  [Outcome.COMPLETED]: "completed",
  [Outcome.DISCONNECTED]: "disconnected",
  [Outcome.FAILED]: "failed",
  [Outcome.CRASHED]: "crashed",
};
/** An outcome by its name in the API. */
export function outcomeNamed(name: Event["outcome"]): Outcome {
  const known = Object.entries(outcomes).find(([, shown]) => shown === name);
  return known === undefined ? Outcome.UNSPECIFIED : (Number(known[0]) as Outcome);
}

const pricings: Partial<Record<Pricing, Event["pricing"]>> = {
  [Pricing.EXACT]: "exact",
  [Pricing.ESTIMATED]: "estimated",
  [Pricing.UNPRICED]: "unpriced",
};
const settlementRules: Partial<Record<SettlementRule, Event["settlement_rule"]>> = {
  [SettlementRule.COMPLETED]: "completed",
  [SettlementRule.DRAINED]: "drained",
  [SettlementRule.ABORTED_ESTIMATE]: "aborted_estimate",
  [SettlementRule.NOTHING_OWED]: "nothing_owed",
  [SettlementRule.LAST_CHECKPOINT]: "last_checkpoint",
  [SettlementRule.FAILED_USAGE]: "failed_usage",
  [SettlementRule.FAILED_ESTIMATE]: "failed_estimate",
  [SettlementRule.UNPRICED_UNITS]: "unpriced_units",
  [SettlementRule.IMPLAUSIBLE_USAGE]: "implausible_usage",
  [SettlementRule.UPPER_BOUND]: "upper_bound",
};

function rawUsage(bytes: Buffer): unknown {
  const text = bytes.toString();
  if (text === "") return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Raw usage that is not JSON is shown as received.
    return text;
  }
}

export function showEvent(event: UsageEvent): Event {
  return {
    request_id: event.requestId,
    account_id: event.accountId,
    key_id: event.keyId,
    operation: event.operation,
    model: event.model,
    requested_model: event.requestedModel ?? null,
    fallback_reason: event.fallbackReason ?? null,
    upstream: event.upstream,
    upstream_model: event.upstreamModel,
    upstream_credential: event.upstreamCredential ?? null,
    started_at: timeText(event.startedAtMs),
    ended_at: timeText(event.endedAtMs),
    outcome: outcomes[event.outcome] ?? "unspecified",
    settlement_rule: settlementRules[event.settlementRule] ?? "unspecified",
    pricing: pricings[event.pricing] ?? "unspecified",
    cost_usd: usdText(event.costNanoUsd),
    cost_nano_usd: event.costNanoUsd,
    price_version: event.priceVersion,
    catalog_version: event.catalogVersion ?? null,
    units: unitsOf(event.units),
    raw_usage: rawUsage(event.rawUsage),
    attempts: event.attempts,
    status: event.status,
    error_code: event.errorCode ?? null,
    stream: event.stream,
    first_byte_ms: event.firstByteMs ?? null,
    trace_id: event.traceId ?? null,
    client_request_id: event.clientRequestId ?? null,
    provider_request_id: event.upstreamRequestId ?? null,
  };
}

export function showBucket(bucket: UsageBucket): Shown<typeof usageBucket> {
  const writtenOff = bucket.writtenOffNanoUsd ?? 0n;
  return {
    object: "usage_bucket",
    start: new Date(Number(bucket.startMs)).toISOString(),
    account_id: bucket.accountId,
    key_id: bucket.keyId,
    model: bucket.model,
    operation: bucket.operation,
    provider: bucket.upstream ?? "",
    requests: bucket.requests,
    cost_usd: usdText(bucket.costNanoUsd),
    cost_nano_usd: bucket.costNanoUsd,
    written_off_usd: usdText(writtenOff),
    written_off_nano_usd: writtenOff,
    units: unitsOf(bucket.units),
  };
}
