import { AdminRole } from "@uag/proto/billing/v1/admin.ts";

const { OPERATOR, BILLING, KEYS, READ_ONLY } = AdminRole;

/** What clients of the admin API call the roles. */
export const roleNames = {
  operator: OPERATOR,
  billing: BILLING,
  keys: KEYS,
  "read-only": READ_ONLY,
} as const satisfies Readonly<Record<string, AdminRole>>;

export type RoleName = keyof typeof roleNames;

/** Undefined for a role that this router does not know. */
export function roleName(role: AdminRole): RoleName | undefined {
  return (Object.keys(roleNames) as RoleName[]).find((name) => roleNames[name] === role);
}

/**
 * How a token that is good for one account is kept to it: the account is in the path, the query or the body, or it is whose
 * the key, secret or delivery of the path is. `all` is about more than one account, so not for such a token.
 */
export type AccountRule = "path" | "query" | "body" | "key" | "secret" | "delivery" | "all";

export interface Access {
  readonly roles: readonly AdminRole[];
  readonly account: AccountRule;
}

const may = (account: AccountRule, ...roles: AdminRole[]): Access => ({ roles: [OPERATOR, ...roles], account });

/** Who may call what: role by route. An operator may call everything. */
export const access = {
  "accounts.create": may("all", BILLING),
  "accounts.list": may("all", BILLING, KEYS, READ_ONLY),
  "accounts.get": may("path", BILLING, KEYS, READ_ONLY),
  "accounts.update": may("path", BILLING),
  "accounts.top_up": may("path", BILLING),
  "accounts.ledger": may("path", BILLING, READ_ONLY),
  "keys.create": may("body", KEYS),
  "keys.list": may("query", KEYS, READ_ONLY),
  "keys.get": may("key", KEYS, READ_ONLY),
  "keys.update": may("key", KEYS),
  "keys.revoke": may("key", KEYS),
  "keys.regenerate": may("key", KEYS),
  "usage.list": may("query", BILLING, KEYS, READ_ONLY),
  "usage.events": may("query", BILLING, KEYS, READ_ONLY),
  "usage.export": may("query", BILLING, READ_ONLY),
  "ledger.read": may("query", BILLING, READ_ONLY),
  "ledger.repair": may("all", BILLING),
  "audit_log.list": may("query", READ_ONLY),
  "tokens.create": may("all"),
  "tokens.list": may("all", READ_ONLY),
  "tokens.revoke": may("all"),
  "webhooks.secrets.create": may("body", KEYS),
  "webhooks.secrets.list": may("query", KEYS, READ_ONLY),
  "webhooks.secrets.end": may("secret", KEYS),
  "webhooks.deliveries.list": may("query", KEYS, READ_ONLY),
  "webhooks.deliveries.get": may("delivery", KEYS, READ_ONLY),
  "webhooks.deliveries.replay": may("delivery", KEYS),
} as const satisfies Readonly<Record<string, Access>>;

export type AdminOperation = keyof typeof access;
