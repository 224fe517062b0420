import { isDeepStrictEqual } from "node:util";
import { price, unpricedUnits } from "@uag/catalog/price";
import { isImplausible } from "@uag/catalog/provisional";
import type { Model } from "@uag/catalog/types";
import { Outcome, Pricing, SettlementRule, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { Served } from "./served.ts";

/** Why the rule that a bill names does not explain it; undefined when it does. */
export type Fault = string | undefined;

export interface Evidence {
  readonly bill: UsageEvent;
  /** Upstream attempts for the request, as the simulator logged them. */
  readonly attempts: readonly Served[];
  readonly model: Pick<Model, "price">;
}

/** A counter of no provider, which the simulator adds in hostile mode. */
const newCounter = "oracle_requests";

/** Whether reported usage can be charged: each count is an integer that a number holds exactly, one is positive. */
export function isCredible(usage: Served["usage"]): boolean {
  const counts = (value: unknown): unknown[] => {
    if (typeof value !== "object" || value === null) return [value];
    return Object.entries(value).flatMap(([name, inner]) => (name === newCounter ? [] : counts(inner)));
  };
  const numbers = counts(usage ?? {}).filter((value) => typeof value === "number");
  return numbers.some((count) => count > 0) && numbers.every((count) => Number.isSafeInteger(count) && count >= 0);
}

/**
 * The gateway cancels a stream at an event that it cannot read; its provider may have sent the rest
 * already.
 */
const isCancelled = ({ faults }: Served): boolean => "garbage-event" in faults;
const isReported = ({ status, usage }: Served): boolean => status === 200 && isCredible(usage);
const rawOf = (bill: UsageEvent): unknown => JSON.parse(Buffer.from(bill.rawUsage).toString() || "null");
const shown = (value: unknown): string => JSON.stringify(value) ?? "nothing";

/** Whether an attempt reported the usage; a request that was split has a list of them. */
function isUsageOf(attempts: readonly Served[], raw: unknown): boolean {
  if (Array.isArray(raw)) return raw.every((one) => isUsageOf(attempts, one));
  return attempts.some(({ usage }) => isDeepStrictEqual(usage, raw));
}

/** Images of a fixed price, by the number that the provider made. */
function byImages(images: bigint, attempts: readonly Served[]): Fault {
  const made = attempts.map((attempt) => BigInt(attempt.images ?? 0));
  return made.includes(images) ? undefined : `${images} images are billed, and attempts made ${made.join(" and ")}`;
}

/** The provider's own usage, at the catalogue's price. */
function byUsage({ bill, attempts, model }: Evidence): Fault {
  const { costNanoUsd } = price(bill.units, model.price);
  if (costNanoUsd !== bill.costNanoUsd) return `its units cost ${costNanoUsd} nano-USD`;
  if (isImplausible(bill.costNanoUsd, bill.holdNanoUsd)) return "it is more than ten times its hold";
  const images = bill.units.filter(({ name }) => name === "images" || name.startsWith("images:"));
  if (images.length > 0)
    return byImages(
      images.reduce((sum, { quantity }) => sum + quantity, 0n),
      attempts,
    );
  const raw = rawOf(bill);
  // xAI reports the length of a video beside its usage: as long as was requested.
  if (raw === null && bill.operation === "videos.generations")
    return bill.costNanoUsd === bill.holdNanoUsd ? undefined : `its hold is ${bill.holdNanoUsd}`;
  return isUsageOf(attempts, raw) ? undefined : `no attempt reported ${shown(raw)}`;
}

/** xAI reports what a failed task cost, and not for how many seconds. */
const hasOnlyCost = ({ usage }: Served): boolean => Object.keys(usage ?? {}).join() === "cost_in_usd_ticks";

/** The gateway's estimate, where the provider reported nothing that can be charged. */
function byEstimate({ bill, attempts }: Evidence): Fault {
  if (bill.costNanoUsd === 0n) return "an estimate costs nothing";
  if (bill.settlementRule === SettlementRule.FAILED_ESTIMATE && attempts.some(hasOnlyCost))
    return bill.costNanoUsd === bill.holdNanoUsd ? undefined : `its hold is ${bill.holdNanoUsd}`;
  const completed = attempts.filter((attempt) => attempt.outcome === "completed" && !isCancelled(attempt));
  const reported = completed.find(isReported);
  return reported && `the provider reported ${shown(reported.usage)}`;
}

/** At most the hold, where the provider's usage was not received. */
function byUpperBound(evidence: Evidence): Fault {
  const { costNanoUsd, holdNanoUsd } = evidence.bill;
  return costNanoUsd > holdNanoUsd ? `its hold is ${holdNanoUsd}` : byEstimate(evidence);
}

/** The hold, for usage that is not believed. */
function byHold({ bill, model }: Evidence): Fault {
  const { costNanoUsd } = price(bill.units, model.price);
  if (!isImplausible(costNanoUsd, bill.holdNanoUsd))
    return `its units cost ${costNanoUsd} nano-USD, which is plausible`;
  return bill.costNanoUsd === bill.holdNanoUsd ? undefined : `its hold is ${bill.holdNanoUsd}`;
}

/** The larger of the hold and what is known, for a counter without a price. */
function byHoldAtLeast({ bill, model }: Evidence): Fault {
  if (unpricedUnits(bill.units, model.price).length === 0) return "every unit has a price";
  const { costNanoUsd } = price(bill.units, model.price);
  const expected = [costNanoUsd, bill.holdNanoUsd].filter((amount) => amount <= bill.costNanoUsd);
  if (expected.length < 2) return "it is below its hold or its known cost";
  return expected.includes(bill.costNanoUsd) ? undefined : "it is neither its hold nor its known cost";
}

/** Nothing: no attempt reported usage. */
function byNothing({ bill, attempts }: Evidence): Fault {
  if (bill.costNanoUsd !== 0n) return "nothing is owed";
  const charged = attempts.find(isReported);
  return charged && `the provider reported ${shown(charged.usage)}`;
}

/** Checks a bill against the simulator's log, by the rule that its receipt names. */
export function explain(evidence: Evidence): Fault {
  const { bill } = evidence;
  if (bill.outcome === Outcome.CRASHED) return "its process was killed, and none was";
  switch (bill.settlementRule) {
    case SettlementRule.COMPLETED:
    case SettlementRule.DRAINED:
    case SettlementRule.FAILED_USAGE:
      return bill.pricing === Pricing.ESTIMATED ? byEstimate(evidence) : byUsage(evidence);
    case SettlementRule.FAILED_ESTIMATE:
    case SettlementRule.ABORTED_ESTIMATE:
      return byEstimate(evidence);
    case SettlementRule.UPPER_BOUND:
      return byUpperBound(evidence);
    case SettlementRule.UNPRICED_UNITS:
      return byHoldAtLeast(evidence);
    case SettlementRule.IMPLAUSIBLE_USAGE:
      return byHold(evidence);
    case SettlementRule.NOTHING_OWED:
      return byNothing(evidence);
    default:
      return "the rule is for a process that was killed, and none was";
  }
}
