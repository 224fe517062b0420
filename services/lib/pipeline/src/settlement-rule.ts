import { type ProvisionalReason, provisionalRules } from "@uag/catalog/provisional";
import { Outcome, SettlementRule } from "@uag/proto/metering/v1/usage.ts";

interface BillKind {
  /** Some or all units are not the upstream's own count. */
  readonly estimated: boolean;
  /** Some units are an upper bound, since nothing better is known of them. */
  readonly isUpperBound?: boolean;
  readonly free: boolean;
  /** Why the charge is provisional, if it is. */
  readonly provisional?: ProvisionalReason | undefined;
}

/** The rule by which a bill was computed. */
export function settlementRule(
  outcome: Outcome,
  { estimated, isUpperBound, free, provisional }: BillKind,
): SettlementRule {
  if (provisional !== undefined) return provisionalRules[provisional];
  if (isUpperBound) return SettlementRule.UPPER_BOUND;
  if (outcome === Outcome.DISCONNECTED) return estimated ? SettlementRule.ABORTED_ESTIMATE : SettlementRule.DRAINED;
  if (outcome !== Outcome.FAILED) return SettlementRule.COMPLETED;
  if (free) return SettlementRule.NOTHING_OWED;
  return estimated ? SettlementRule.FAILED_ESTIMATE : SettlementRule.FAILED_USAGE;
}
