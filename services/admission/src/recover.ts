import type { Journal } from "@uag/kit/journal/journal.ts";
import type { Checkpoint } from "@uag/proto/metering/v1/journal.ts";
import { Outcome, Pricing, SettlementRule, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { decodeRecord, encodeFinal } from "./records.ts";

/** How a request ends whose process died: billed by its last checkpoint, or nothing. */
export function crashedEvent(started: UsageEvent, last: Checkpoint | undefined, nowMs: number): UsageEvent {
  return {
    ...started,
    endedAtMs: BigInt(nowMs),
    outcome: Outcome.CRASHED,
    settlementRule: SettlementRule.LAST_CHECKPOINT,
    pricing: Pricing.ESTIMATED,
    units: last?.units ?? [],
    costNanoUsd: last?.costNanoUsd ?? 0n,
  };
}

/**
 * Gives every request in a dead process's journal its final.
 * @returns the holders that the journal speaks of, and how many requests had no final
 */
export async function completeJournal(
  journal: Pick<Journal, "start" | "read" | "append">,
  nowMs: number,
): Promise<{ holderIds: Set<string>; crashed: number }> {
  const holderIds = new Set<string>();
  const open = new Map<string, { started: UsageEvent; last: Checkpoint | undefined }>();
  const visit = (record: Uint8Array): boolean => {
    const { kind } = decodeRecord(record);
    if (kind?.$case === "started") {
      holderIds.add(kind.value.holderId);
      open.set(kind.value.requestId, { started: kind.value, last: open.get(kind.value.requestId)?.last });
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
    const next = await journal.read(at, visit);
    if (next.segment === at.segment && next.offset === at.offset) break;
    at = next;
  }
  const finals = [...open.values()].map(({ started, last }) => encodeFinal(crashedEvent(started, last, nowMs)));
  await Promise.all(finals.map((final) => journal.append(final)));
  return { holderIds, crashed: finals.length };
}
