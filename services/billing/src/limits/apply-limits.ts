import type { LimitName } from "@uag/contract/messages/billing";
import type { KeyDocument, LimitsDocument } from "@uag/ledger/documents/keys";
import { poolId } from "@uag/ledger/documents/limit-pools";
import { learnLimit, newPool } from "@uag/ledger/permits/pool";
import type { Billing } from "../billing.ts";

const fields = {
  requests: "requestsPerMinute",
  tokens: "tokensPerMinute",
  concurrency: "concurrentRequests",
} as const satisfies Record<LimitName, keyof LimitsDocument>;
const names = Object.keys(fields) as LimitName[];

/**
 * Puts a changed key's limits into its permit pools, so that a request which was authenticated
 * before the change, in a process that was suspended since, borrows under the new limits.
 */
export async function applyLimits({ limits }: Pick<Billing, "limits">, key: KeyDocument): Promise<void> {
  const { _id: keyId, version } = key;
  for (const name of names) {
    const limit = Number(key.limits[fields[name]]);
    if (limit === 0) continue;
    await limits.changePool({ id: poolId(keyId, name), keyId }, newPool(limit, version), (pool) => ({
      pool: learnLimit(pool, limit, version),
      response: undefined,
    }));
  }
}
