import { Outcome, SettlementRule } from "@uag/proto/metering/v1/usage.ts";

/**
 * The rule by which a bill was computed; `estimated`: some or all units are not the upstream's own
 * count.
 */
export function settlementRule(outcome: Outcome, bill: { estimated: boolean; free: boolean }): SettlementRule {
  if (outcome === Outcome.DISCONNECTED)
    return bill.estimated ? SettlementRule.ABORTED_ESTIMATE : SettlementRule.DRAINED;
  if (outcome !== Outcome.FAILED) return SettlementRule.COMPLETED;
  if (bill.free) return SettlementRule.NOTHING_OWED;
  return bill.estimated ? SettlementRule.FAILED_ESTIMATE : SettlementRule.FAILED_USAGE;
}
