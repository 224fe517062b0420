import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";

const idPattern = /^[^\n\r\0]{1,200}$/;
const textPattern = /^[^\n\r\0]{0,512}$/;
/** A unit's name; after a colon, the variant that its price depends on. */
const unitPattern = /^[^\n\r\0]{1,128}$/;
/** A Date after the year 5138 is a mistake of units. */
const latestMs = 100_000_000_000_000n;
/**
 * The most that one event may cost, hold (nine million USD) or count of a unit: what JSON numbers
 * hold exactly. Sums of a thousand such events stay within int64.
 */
const maxFigure = BigInt(Number.MAX_SAFE_INTEGER);
const isFigure = (value: bigint): boolean => value >= 0n && value <= maxFigure;
const isText = (value: string): boolean => textPattern.test(value);

const rules: Readonly<Record<string, (event: UsageEvent) => boolean>> = {
  request_id: ({ requestId }) => idPattern.test(requestId),
  account_id: ({ accountId }) => idPattern.test(accountId),
  key_id: ({ keyId }) => isText(keyId),
  holder_id: ({ holderId }) => isText(holderId),
  grant_id: ({ grantId }) => isText(grantId),
  operation: ({ operation }) => isText(operation),
  model: ({ model }) => isText(model),
  cost_nano_usd: ({ costNanoUsd }) => isFigure(costNanoUsd),
  hold_nano_usd: ({ holdNanoUsd }) => isFigure(holdNanoUsd),
  started_at_ms: ({ startedAtMs }) => startedAtMs <= latestMs,
  ended_at_ms: ({ endedAtMs }) => endedAtMs > 0n && endedAtMs <= latestMs,
  units: ({ units }) => units.every(({ name, quantity }) => unitPattern.test(name) && isFigure(quantity)),
};

/**
 * Validates a terminal usage event: metering stores, and billing charges, only valid events.
 * @returns the first invalid field, as the interface names it; undefined: the event is valid
 */
export function validateUsageEvent(event: UsageEvent): string | undefined {
  for (const field in rules) if (rules[field]?.(event) === false) return field;
  return undefined;
}

/**
 * The first event of each request, in order: it alone counts.
 * @param onRepeat called with each later event of a request, and the first
 */
export function firstOfEachRequest(
  events: Iterable<UsageEvent>,
  onRepeat?: (event: UsageEvent, first: UsageEvent) => void,
): UsageEvent[] {
  const firsts = new Map<string, UsageEvent>();
  for (const event of events) {
    const first = firsts.get(event.requestId);
    if (first === undefined) firsts.set(event.requestId, event);
    else onRepeat?.(event, first);
  }
  return [...firsts.values()];
}
