import type { AccountDocument } from "../store/accounts.ts";
import type { KeyDocument } from "../store/keys.ts";

/** A limit as administrators write it: null means unlimited. */
const limitOf = (value: bigint): number | null => (value === 0n ? null : Number(value));

/** What of a key a change can be told by: neither its secret nor the digest. */
export function keySnapshot(key: KeyDocument): string {
  const { limits } = key;
  return JSON.stringify({
    key_alias: key.name,
    hint: key.hint,
    models: key.models,
    rpm_limit: limitOf(limits.requestsPerMinute),
    tpm_limit: limitOf(limits.tokensPerMinute),
    max_parallel_requests: limitOf(limits.concurrentRequests),
    max_budget_nano_usd: limitOf(limits.monthlyBudgetNanoUsd),
    metadata: JSON.parse(key.metadata ?? "{}"),
    expires: key.expiresAt,
    revoked_at: key.revokedAt,
    version: Number(key.version),
  });
}

export function accountSnapshot(account: Pick<AccountDocument, "name">): string {
  return JSON.stringify({ name: account.name });
}
