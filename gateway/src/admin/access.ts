import type { adminRoles } from "@uag/contract/responses/admin-fields";
import type { AdminOperation } from "@uag/contract/routes";
import { AdminRole } from "@uag/proto/billing/v1/admin.ts";

const { OPERATOR, BILLING, KEYS, READ_ONLY } = AdminRole;

export type RoleName = (typeof adminRoles)[number];

/** The roles' names in the admin API. */
export const roleNames = {
  operator: OPERATOR,
  billing: BILLING,
  keys: KEYS,
  "read-only": READ_ONLY,
} as const satisfies Readonly<Record<RoleName, AdminRole>>;

/** Undefined for a role that this router does not know. */
export function roleName(role: AdminRole): RoleName | undefined {
  return (Object.keys(roleNames) as RoleName[]).find((name) => roleNames[name] === role);
}

/**
 * How a token of one account is restricted to it: the account is in the path, the query or the
 * body, or owns the key, budget, envelope, request, alert, secret or delivery in the path. `all` concerns more
 * than one account, so such a token may not call it; `none` concerns no account, so any token may.
 */
export type AccountRule =
  | "path"
  | "query"
  | "body"
  | "key"
  | "budget"
  | "envelope"
  | "request"
  | "alert"
  | "secret"
  | "delivery"
  | "none"
  | "all";

export interface Access {
  readonly roles: readonly AdminRole[];
  readonly account: AccountRule;
  /** Whether a token of one budget may call it, for what is below this budget: see `belowBudget`. */
  readonly budget: boolean;
}

const may = (account: AccountRule, ...roles: AdminRole[]): Access => ({
  roles: [OPERATOR, ...roles],
  account,
  budget: false,
});

const mayBelow = (account: AccountRule, ...roles: AdminRole[]): Access => ({ ...may(account, ...roles), budget: true });

/** The roles allowed on each route. An operator may call everything. */
export const access: Readonly<Record<AdminOperation, Access>> = {
  "admin.accounts.create": may("all", BILLING),
  "admin.accounts.list": may("all", BILLING, KEYS, READ_ONLY),
  "admin.accounts.get": may("path", BILLING, KEYS, READ_ONLY),
  "admin.accounts.update": may("path", BILLING),
  "admin.accounts.top_up": may("path", BILLING),
  "admin.accounts.ledger": may("path", BILLING, READ_ONLY),
  "admin.accounts.holds": may("path", BILLING, READ_ONLY),
  "admin.accounts.forecast": may("path", BILLING, READ_ONLY),
  "admin.accounts.message_budgets": may("path", BILLING, KEYS, READ_ONLY),
  "admin.accounts.invoices": may("path", BILLING, READ_ONLY),
  "admin.accounts.invoice": may("path", BILLING, READ_ONLY),
  "admin.keys.create": mayBelow("body", KEYS),
  "admin.keys.list": mayBelow("query", KEYS, READ_ONLY),
  "admin.keys.get": mayBelow("key", KEYS, READ_ONLY),
  "admin.keys.use": mayBelow("key", BILLING, KEYS, READ_ONLY),
  "admin.keys.update": mayBelow("key", KEYS),
  "admin.keys.revoke": mayBelow("key", KEYS),
  "admin.keys.regenerate": mayBelow("key", KEYS),
  "admin.budgets.create": mayBelow("body", BILLING, KEYS),
  "admin.budgets.list": mayBelow("query", BILLING, KEYS, READ_ONLY),
  "admin.budgets.get": mayBelow("budget", BILLING, KEYS, READ_ONLY),
  "admin.budgets.end_users": mayBelow("budget", BILLING, KEYS, READ_ONLY),
  "admin.budgets.update": mayBelow("budget", BILLING, KEYS),
  "admin.budgets.delete": mayBelow("budget", BILLING, KEYS),
  "admin.envelopes.list": mayBelow("query", BILLING, KEYS, READ_ONLY),
  "admin.envelopes.get": mayBelow("envelope", BILLING, KEYS, READ_ONLY),
  "admin.envelopes.close": mayBelow("envelope", BILLING, KEYS),
  "admin.usage.list": mayBelow("query", BILLING, KEYS, READ_ONLY),
  "admin.usage.events": mayBelow("query", BILLING, KEYS, READ_ONLY),
  "admin.usage.series": mayBelow("query", BILLING, KEYS, READ_ONLY),
  "admin.usage.receipt": mayBelow("request", BILLING, KEYS, READ_ONLY),
  "admin.usage.export": mayBelow("query", BILLING, READ_ONLY),
  "admin.refusals.list": mayBelow("query", BILLING, KEYS, READ_ONLY),
  "admin.refusals.series": mayBelow("query", BILLING, KEYS, READ_ONLY),
  "admin.ledger.read": may("query", BILLING, READ_ONLY),
  "admin.ledger.repair": may("all", BILLING),
  "admin.models.list": mayBelow("none", BILLING, KEYS, READ_ONLY),
  "admin.models.create": may("all"),
  "admin.models.get": mayBelow("none", BILLING, KEYS, READ_ONLY),
  "admin.models.update": may("all"),
  "admin.models.delete": may("all"),
  "admin.fleet.get": may("all", READ_ONLY),
  "admin.reconciliations.list": may("all", BILLING, READ_ONLY),
  "admin.prices.review": may("all", BILLING, READ_ONLY),
  "admin.prices.accept": may("all"),
  "admin.prices.table": may("all"),
  "admin.providers.list": may("all", READ_ONLY),
  "admin.providers.create": may("all"),
  "admin.providers.get": may("all", READ_ONLY),
  "admin.providers.update": may("all"),
  "admin.providers.delete": may("all"),
  "admin.providers.test": may("all"),
  "admin.providers.models": may("all", READ_ONLY),
  "admin.providers.credentials.create": may("all"),
  "admin.providers.credentials.update": may("all"),
  "admin.providers.credentials.delete": may("all"),
  "admin.catalog.get": may("all", READ_ONLY),
  "admin.provider_templates.list": may("all", READ_ONLY),
  "admin.audit_log.list": may("query", READ_ONLY),
  "admin.tokens.create": may("all"),
  "admin.tokens.list": may("all", READ_ONLY),
  "admin.tokens.revoke": may("all"),
  "admin.alerts.create": may("body", BILLING, KEYS),
  "admin.alerts.list": may("query", BILLING, KEYS, READ_ONLY),
  "admin.alerts.update": may("alert", BILLING, KEYS),
  "admin.alerts.delete": may("alert", BILLING, KEYS),
  "admin.alerts.test": may("alert", BILLING, KEYS),
  "admin.webhooks.secrets.create": may("body", KEYS),
  "admin.webhooks.secrets.list": may("query", KEYS, READ_ONLY),
  "admin.webhooks.secrets.end": may("secret", KEYS),
  "admin.webhooks.deliveries.list": may("query", KEYS, READ_ONLY),
  "admin.webhooks.deliveries.get": may("delivery", KEYS, READ_ONLY),
  "admin.webhooks.deliveries.replay": may("delivery", KEYS),
};
