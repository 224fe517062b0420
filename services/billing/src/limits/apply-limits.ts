import type { LimitName } from "@uag/contract/messages/billing";
import type { BudgetLimitsDocument } from "@uag/ledger/documents/budgets";
import { poolId } from "@uag/ledger/documents/limit-pools";
import { learnLimit, newPool } from "@uag/ledger/permits/pool";
import type { Billing } from "../billing.ts";

const fields = {
  requests: "requestsPerMinute",
  tokens: "tokensPerMinute",
  concurrency: "concurrentRequests",
} as const satisfies Record<LimitName, keyof BudgetLimitsDocument>;
const names = Object.keys(fields) as LimitName[];

/** A key or a budget as it is after a change. */
interface Limited {
  readonly _id: string;
  readonly limits: BudgetLimitsDocument;
  readonly version: bigint;
}

/**
 * Puts the limits of a changed key or budget into its permit pools, so that a request which was
 * authenticated before the change, in a process that was suspended since, borrows under the new
 * limits.
 */
export async function applyLimits({ limits }: Pick<Billing, "limits">, changed: Limited): Promise<void> {
  const { _id: keyId, version } = changed;
  for (const name of names) {
    const limit = Number(changed.limits[fields[name]]);
    if (limit === 0) continue;
    await limits.changePool({ id: poolId(keyId, name), keyId }, newPool(limit, version), (pool) => ({
      pool: learnLimit(pool, limit, version),
      response: undefined,
    }));
  }
}
