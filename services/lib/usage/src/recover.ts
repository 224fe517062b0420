import type { Checkpoint } from "@uag/proto/metering/v1/journal.ts";
import { Outcome, Pricing, SettlementRule, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { Journal } from "./journal/journal.ts";
import { decodeRecord, encodeFinal } from "./records.ts";

/** The final of a request whose process died: billed by its last checkpoint, or nothing. */
export function crashedEvent(started: UsageEvent, last: Checkpoint | undefined, nowMs: number): UsageEvent {
  return {
    ...started,
    ...servedInstead(started, last),
    upstream: last?.upstream ?? started.upstream,
    upstreamCredentialId: last?.upstreamCredentialId,
    endedAtMs: BigInt(nowMs),
    outcome: Outcome.CRASHED,
    settlementRule: last?.isUpperBound ? SettlementRule.UPPER_BOUND : SettlementRule.LAST_CHECKPOINT,
    pricing: Pricing.ESTIMATED,
    units: last?.units ?? [],
    costNanoUsd: last?.costNanoUsd ?? 0n,
  };
}

/** The model that was responding, if it is not the requested one. */
function servedInstead(started: UsageEvent, last: Checkpoint | undefined) {
  const { model, priceVersion = started.priceVersion, requestedModel, fallbackReason } = last ?? {};
  return model !== undefined && { model, priceVersion, requestedModel, fallbackReason };
}

/** The contents of a dead process's journal. */
export interface Legacy {
  /** The holders it mentions. */
  readonly holderIds: Set<string>;
  /** Finals for the requests that have none, as records. */
  readonly missing: readonly Uint8Array[];
  /**
   * The oldest segment with a `started` of theirs; segments from there on are kept until the finals
   * are written.
   */
  readonly keepSegment: number;
}

/** Reads a dead process's journal; writes nothing. */
export async function readLegacy(journal: Pick<Journal, "start" | "read">, nowMs: number): Promise<Legacy> {
  const holderIds = new Set<string>();
  const open = new Map<string, { started: UsageEvent; last: Checkpoint | undefined; segment: number }>();
  const visit = (record: Uint8Array, segment: number): boolean => {
    const { kind } = decodeRecord(record);
    if (kind?.$case === "started") {
      const { holderId, requestId } = kind.value;
      holderIds.add(holderId);
      const before = open.get(requestId);
      open.set(requestId, { started: kind.value, last: before?.last, segment: before?.segment ?? segment });
    } else if (kind?.$case === "checkpoint") {
      const request = open.get(kind.value.requestId);
      if (request !== undefined) request.last = kind.value;
    } else if (kind?.$case === "final") {
      holderIds.add(kind.value.holderId);
      open.delete(kind.value.requestId);
    }
    return true;
  };
  for (let at = journal.start; ; ) {
    const next = await journal.read(at, (record, { segment }) => visit(record, segment));
    if (next.segment === at.segment && next.offset === at.offset) break;
    at = next;
  }
  const requests = [...open.values()];
  return {
    holderIds,
    missing: requests.map(({ started, last }) => encodeFinal(crashedEvent(started, last, nowMs))),
    keepSegment: requests.reduce((oldest, { segment }) => Math.min(oldest, segment), Number.POSITIVE_INFINITY),
  };
}
