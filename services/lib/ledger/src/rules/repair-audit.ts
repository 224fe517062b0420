import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import { changeOf, entryId, hashOf } from "./entry.ts";
import { billedOf, type Money } from "./money.ts";

/** The fault of a billing row on its own; undefined if there is none. */
export function settleFault(entry: Entry): string | undefined {
  const { event } = entry;
  if (event === undefined) return "has no event";
  const id = entry.kind === "repair" ? entryId.repair(event.requestId) : entryId.settle(event.requestId);
  if (entry.id !== id || entry.requestId !== event.requestId) {
    return `is about request ${event.requestId}`;
  }
  if (event.accountId !== entry.accountId) return `charges an event of account ${event.accountId}`;
  // What a repair bills depends on the row that it corrects.
  const billed = billedOf(changeOf(entry));
  if (entry.kind === "repair" || billed === event.costNanoUsd) return undefined;
  return `bills ${billed} for a cost of ${event.costNanoUsd}`;
}

/** What is wrong with a repair of a request that was billed `before`; undefined when nothing is. */
function repairFault(repair: Entry, before: Money): string | undefined {
  const change = changeOf(repair);
  const cost = repair.event?.costNanoUsd ?? 0n;
  const billed = billedOf(before) + billedOf(change);
  if (billed !== cost) return `Row ${repair.id} corrects the bill to ${billed} for a cost of ${cost}.`;
  if (change.writtenOff + before.writtenOff < 0n) return `Row ${repair.id} reverses a write-off.`;
  return undefined;
}

const hadItsPrice = ({ requestId }: Entry): string =>
  `Row ${entryId.repair(requestId)} repairs a request that was priced.`;

/**
 * Checks that a request is repaired once, only if it was unpriced, and to its cost. Memory grows
 * with the requests that wait for a repair.
 * @param continues rows before the first one were read by an earlier audit
 */
export function auditRepairs(report: (sentence: string) => void, continues: boolean) {
  /** What was billed for requests that are not repaired yet. */
  const unpriced = new Map<string, Money>();
  /** Repairs of requests that were settled before the first row. */
  const before = new Map<string, Entry>();
  const check = (repair: Entry, billed: Money | undefined): void => {
    const fault = billed === undefined ? hadItsPrice(repair) : repairFault(repair, billed);
    if (fault !== undefined) report(fault);
  };
  return {
    row(entry: Entry): void {
      const { kind, event, requestId } = entry;
      if (kind === "settle") {
        if (event?.pricing === Pricing.UNPRICED) unpriced.set(requestId, changeOf(entry));
        return;
      }
      const billed = unpriced.get(requestId);
      if (billed === undefined && continues) before.set(requestId, entry);
      else check(entry, billed);
      unpriced.delete(requestId);
    },
    get before(): readonly string[] {
      return [...before.keys()];
    },
    settled(entries: readonly Entry[]): void {
      const billed = new Map<string, Money>();
      for (const entry of entries) {
        const fits = hashOf(entry).equals(entry.hash) && entry.kind === "settle" && settleFault(entry) === undefined;
        if (fits && entry.event?.pricing === Pricing.UNPRICED) billed.set(entry.requestId, changeOf(entry));
      }
      for (const [requestId, repair] of before) check(repair, billed.get(requestId));
    },
  };
}
