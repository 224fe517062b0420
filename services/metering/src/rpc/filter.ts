import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { UsageFilter } from "@uag/proto/metering/v1/metering.ts";
import { outcomeToJSON } from "@uag/proto/metering/v1/usage.ts";

export interface NameFilter {
  accountId?: string;
  keyId?: string | { $in: string[] };
  model?: string;
  operation?: string;
  upstream?: string;
}

/** The requested key; empty: all. Where a set of keys is given too, the key must be one of them. */
export function keyOf({
  keyId = "",
  keys,
}: Partial<Pick<UsageFilter, "keyId" | "keys">> = {}): Pick<NameFilter, "keyId"> {
  if (keys !== undefined) return { keyId: { $in: keys.ids.filter((id) => keyId === "" || id === keyId) } };
  return keyId === "" ? {} : { keyId };
}

/** The requested names; an empty one matches all. */
export function namesOf(filter: UsageFilter | undefined): NameFilter {
  const { accountId = "", model = "", operation = "", upstream = "" } = filter ?? {};
  return {
    ...(accountId && { accountId }),
    ...keyOf(filter),
    ...(model && { model }),
    ...(operation && { operation }),
    ...(upstream && { upstream }),
  };
}

const duration = { $subtract: ["$endedAt", "$startedAt"] };

/** Conditions on single events beyond their names and times. */
export function endsOf(filter: Partial<UsageFilter> = {}) {
  const { outcome, status, minCostNanoUsd, errorCode, minDurationMs, anyRequestId: id } = filter;
  return {
    ...(id !== undefined && { $or: [{ _id: id }, { otherIds: id }] }),
    ...(errorCode !== undefined && { errorCode }),
    ...(minDurationMs !== undefined && { $expr: { $gte: [duration, minDurationMs] } }),
    ...(outcome !== undefined && { outcome: outcomeToJSON(outcome) }),
    ...(status !== undefined && { status }),
    ...(minCostNanoUsd !== undefined && { costNanoUsd: { $gte: minCostNanoUsd } }),
  };
}

/** From (inclusive) and until (exclusive). @throws {GatewayError} `invalid_request` */
export function timesOf(
  filter: Pick<UsageFilter, "fromMs" | "untilMs"> | undefined,
  nowMs: number,
): { from: Date; until: Date } {
  const from = new Date(Number(filter?.fromMs ?? 0n));
  const until = new Date(filter?.untilMs ? Number(filter.untilMs) : nowMs + 1);
  if (Number.isNaN(from.getTime()) || Number.isNaN(until.getTime())) {
    throw new GatewayError("invalid_request", "The times must be Unix milliseconds.", { param: "filter.from_ms" });
  }
  return { from, until };
}
