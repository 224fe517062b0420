import { AdminRole } from "@uag/proto/billing/v1/admin.ts";
import type { AccountDocument } from "../store/accounts.ts";
import type { AdminTokenDocument } from "../store/admin-tokens.ts";
import type { KeyDocument } from "../store/keys.ts";

/** A limit as administrators write it: null means unlimited. */
const limitOf = (value: bigint): number | null => (value === 0n ? null : Number(value));

/** The fields of a key that identify a change, without its secret or digest. */
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

export function accountSnapshot({
  name,
  keepsNoAnswers = false,
}: Pick<AccountDocument, "name" | "keepsNoAnswers">): string {
  return JSON.stringify({ name, keep_answers: !keepsNoAnswers });
}

const roleNames: Readonly<Record<AdminRole, string>> = {
  [AdminRole.UNSPECIFIED]: "none",
  [AdminRole.OPERATOR]: "operator",
  [AdminRole.BILLING]: "billing",
  [AdminRole.KEYS]: "keys",
  [AdminRole.READ_ONLY]: "read-only",
};

/** The fields of an admin token that identify a change. */
export function tokenSnapshot(token: AdminTokenDocument): string {
  const { name, hint, role = AdminRole.OPERATOR, accountId = "", expiresAt = null, revokedAt } = token;
  const limits = { role: roleNames[role], account_id: accountId || null, expires: expiresAt };
  return JSON.stringify({ name, hint, ...limits, revoked_at: revokedAt });
}
