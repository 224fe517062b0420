import { keyFields, limitFields } from "@uag/contract/key-fields";
import type { AdminOperation } from "@uag/contract/routes";
import type { TokenRole } from "../admin-api/credentials.ts";
import type { Role } from "../store/users.ts";

/**
 * What the console itself checks before it forwards a member's call, because the admin API knows
 * accounts but not people: `own-key` concerns a key that the member has created, `key-in-query` one
 * that the query names, `own-event` a request of one; `list` is filtered to such keys.
 */
export type MemberRule = "none" | "own-key" | "key-in-query" | "own-event" | "list";

/**
 * How a role may set a field of a key: `any` value, or a `limited` one, which permits no more than
 * an owner has set.
 */
type FieldRule = "any" | "limited";

type KeyFields = Readonly<Record<string, FieldRule>>;

export interface Grant {
  /** The role of the admin token with which the call is forwarded. */
  readonly token: TokenRole;
  readonly rule: MemberRule;
  /** How the body's fields may be set; absent: all of them to any value. */
  readonly fields?: KeyFields;
}

type Grants = Readonly<Record<string, Grant>>;

const reads: Grant = { token: "read-only", rule: "none" };
const keys: Grant = { token: "keys", rule: "none" };
const operator: Grant = { token: "operator", rule: "none" };

/** What everyone with access to an account may read. */
const reading = {
  "admin.accounts.get": reads,
  "admin.accounts.ledger": reads,
  "admin.accounts.holds": reads,
  "admin.accounts.forecast": reads,
  "admin.accounts.message_budgets": reads,
  "admin.accounts.invoices": reads,
  "admin.accounts.invoice": reads,
  "admin.keys.list": reads,
  "admin.keys.get": reads,
  "admin.keys.use": reads,
  "admin.budgets.list": reads,
  "admin.budgets.get": reads,
  "admin.budgets.end_users": reads,
  "admin.envelopes.list": reads,
  "admin.envelopes.get": reads,
  "admin.usage.list": reads,
  "admin.usage.events": reads,
  "admin.usage.series": reads,
  "admin.usage.receipt": reads,
  "admin.usage.export": reads,
  "admin.refusals.list": reads,
  "admin.refusals.series": reads,
  "admin.ledger.read": reads,
  "admin.models.list": reads,
  "admin.audit_log.list": reads,
  "admin.alerts.list": reads,
  "admin.webhooks.secrets.list": reads,
  "admin.webhooks.deliveries.list": reads,
  "admin.webhooks.deliveries.get": reads,
} as const satisfies Partial<Record<AdminOperation, Grant>>;

const owner = {
  ...reading,
  "admin.keys.create": keys,
  "admin.keys.update": keys,
  "admin.keys.revoke": keys,
  "admin.keys.regenerate": keys,
  "admin.budgets.create": keys,
  "admin.budgets.update": keys,
  "admin.budgets.delete": keys,
  "admin.envelopes.close": keys,
  "admin.alerts.create": keys,
  "admin.alerts.update": keys,
  "admin.alerts.delete": keys,
  "admin.alerts.test": keys,
  "admin.webhooks.secrets.create": keys,
  "admin.webhooks.secrets.end": keys,
  "admin.webhooks.deliveries.replay": keys,
} as const satisfies Partial<Record<AdminOperation, Grant>>;

/** A member names and tags keys; what they may do is limited by an owner. */
const memberFields: KeyFields = Object.fromEntries(
  ["account_id", ...Object.keys(keyFields)].map((field) => [field, field in limitFields ? "limited" : "any"]),
);

const member = {
  "admin.keys.create": { ...keys, fields: memberFields },
  "admin.keys.list": { token: "read-only", rule: "list" },
  "admin.keys.get": { token: "read-only", rule: "own-key" },
  "admin.keys.use": { token: "read-only", rule: "own-key" },
  "admin.keys.update": { token: "keys", rule: "own-key", fields: memberFields },
  "admin.keys.revoke": { token: "keys", rule: "own-key" },
  "admin.keys.regenerate": { token: "keys", rule: "own-key" },
  "admin.usage.list": { token: "read-only", rule: "key-in-query" },
  "admin.usage.events": { token: "read-only", rule: "key-in-query" },
  "admin.usage.series": { token: "read-only", rule: "key-in-query" },
  "admin.usage.receipt": { token: "read-only", rule: "own-event" },
  "admin.refusals.list": { token: "read-only", rule: "key-in-query" },
  "admin.refusals.series": { token: "read-only", rule: "key-in-query" },
  "admin.usage.export": { token: "read-only", rule: "key-in-query" },
  "admin.models.list": reads,
} as const satisfies Partial<Record<AdminOperation, Grant>>;

/** An auditor of all accounts may also read accounts, tokens, and the state of the gateway. */
const auditor = {
  ...reading,
  "admin.accounts.list": reads,
  "admin.fleet.get": reads,
  "admin.reconciliations.list": reads,
  "admin.tokens.list": reads,
} as const satisfies Partial<Record<AdminOperation, Grant>>;

/** Who may call what of the admin API through the console. Everything else is refused. */
const grants: Readonly<Record<Exclude<Role, "operator">, Grants>> = { owner, member, auditor };

/** How a role may make a call; undefined when it may not. An operator may make all calls. */
export function grantOf(role: Role, operation: string): Grant | undefined {
  if (role === "operator") return operator;
  return Object.hasOwn(grants[role], operation) ? grants[role][operation] : undefined;
}
