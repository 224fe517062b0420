import type { AccountDocument } from "@uag/ledger/documents/accounts";
import type { AdminTokenDocument } from "@uag/ledger/documents/admin-tokens";
import { AdminRole } from "@uag/proto/billing/v1/admin.ts";

export function accountSnapshot({
  name,
  keepsNoAnswers = false,
  lowersOutputCap = false,
  storesResponses = false,
  disabled = false,
}: Pick<AccountDocument, "name" | "keepsNoAnswers" | "lowersOutputCap" | "storesResponses" | "disabled">): string {
  const settings = {
    keep_answers: !keepsNoAnswers,
    lower_output_cap: lowersOutputCap,
    store_responses: storesResponses,
  };
  return JSON.stringify({ name, ...settings, disabled });
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
  const { name, hint, role = AdminRole.OPERATOR, accountId = "", budgetId = "", expiresAt = null, revokedAt } = token;
  const limits = {
    role: roleNames[role],
    account_id: accountId || null,
    budget_id: budgetId || null,
    expires: expiresAt,
  };
  return JSON.stringify({ name, hint, ...limits, revoked_at: revokedAt });
}
