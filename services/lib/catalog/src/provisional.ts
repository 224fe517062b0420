import { Pricing, SettlementRule } from "@uag/proto/metering/v1/usage.ts";
import type { Priced } from "./price.ts";

/** A cost beyond this multiple of its hold is not believed. */
const maxCostPerHold = 10n;

/** Why a request is charged provisionally, until a person has priced it. */
export type ProvisionalReason = "unpriced_units" | "implausible_usage";

/** The rule that a receipt names for each. */
export const provisionalRules: Readonly<Record<ProvisionalReason, SettlementRule>> = {
  unpriced_units: SettlementRule.UNPRICED_UNITS,
  implausible_usage: SettlementRule.IMPLAUSIBLE_USAGE,
};

/** The amount to charge for a request. */
export interface Charged extends Priced {
  /** Undefined when the charge is final. */
  readonly provisional: ProvisionalReason | undefined;
}

/**
 * What to charge for usage that has a price only in part, or costs far more than was held for it.
 * Without a price for every unit it is the larger of the known cost and the hold; beyond ten times
 * the hold it is the hold. Such a charge is `UNPRICED`: a person is alerted and corrects it, up or
 * down. Any other cost is charged as it is, also above its hold.
 * @param holdNanoUsd the upper bound that was admitted, nano-USD
 */
export function chargeOf({ costNanoUsd, pricing }: Priced, holdNanoUsd: bigint): Charged {
  if (isImplausible(costNanoUsd, holdNanoUsd))
    return { costNanoUsd: holdNanoUsd, pricing: Pricing.UNPRICED, provisional: "implausible_usage" };
  if (pricing !== Pricing.UNPRICED) return { costNanoUsd, pricing, provisional: undefined };
  const atLeast = costNanoUsd > holdNanoUsd ? costNanoUsd : holdNanoUsd;
  return { costNanoUsd: atLeast, pricing, provisional: "unpriced_units" };
}

/** True for a cost so far above its hold that the usage behind it must be wrong. */
export function isImplausible(costNanoUsd: bigint, holdNanoUsd: bigint): boolean {
  return costNanoUsd > holdNanoUsd * maxCostPerHold;
}
