import type { UsageBucket } from "@uag/proto/metering/v1/metering.ts";
import {
  outcomeToJSON,
  pricingToJSON,
  settlementRuleToJSON,
  type Unit,
  type UsageEvent,
} from "@uag/proto/metering/v1/usage.ts";
import { usdText } from "./amounts.ts";
import { timeText } from "./json.ts";

const unitsOf = (units: readonly Unit[]): Record<string, bigint> =>
  Object.fromEntries(units.map(({ name, quantity }) => [name, quantity]));

/** `OUTCOME_COMPLETED` -> `completed` */
const word = (name: string): string => name.replace(/^(OUTCOME|PRICING|SETTLEMENT_RULE)_/, "").toLowerCase();

function rawUsage(bytes: Buffer): unknown {
  const text = bytes.toString();
  if (text === "") return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // What an upstream sent in place of JSON is shown as it came.
    return text;
  }
}

export function showEvent(event: UsageEvent): Record<string, unknown> {
  return {
    request_id: event.requestId,
    ...{ account_id: event.accountId, key_id: event.keyId, operation: event.operation, model: event.model },
    ...{ upstream: event.upstream, upstream_model: event.upstreamModel },
    ...{ started_at: timeText(event.startedAtMs), ended_at: timeText(event.endedAtMs) },
    outcome: word(outcomeToJSON(event.outcome)),
    settlement_rule: word(settlementRuleToJSON(event.settlementRule)),
    pricing: word(pricingToJSON(event.pricing)),
    cost_usd: usdText(event.costNanoUsd),
    cost_nano_usd: event.costNanoUsd,
    price_version: event.priceVersion,
    units: unitsOf(event.units),
    raw_usage: rawUsage(event.rawUsage),
    ...{ attempts: event.attempts, status: event.status, stream: event.stream },
  };
}

export function showBucket(bucket: UsageBucket): object {
  const writtenOff = bucket.writtenOffNanoUsd ?? 0n;
  return {
    object: "usage_bucket",
    start: new Date(Number(bucket.startMs)).toISOString(),
    ...{ account_id: bucket.accountId, key_id: bucket.keyId, model: bucket.model, operation: bucket.operation },
    requests: bucket.requests,
    cost_usd: usdText(bucket.costNanoUsd),
    cost_nano_usd: bucket.costNanoUsd,
    written_off_usd: usdText(writtenOff),
    written_off_nano_usd: writtenOff,
    units: unitsOf(bucket.units),
  };
}
