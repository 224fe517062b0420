import { descriptiveFields, levelFields, limitFields, operatorFields } from "@uag/contract/key-fields";
import type { AdminOperation } from "@uag/contract/routes";

/** What happens to a field: it is accepted, or rejected because of the role or of the field. */
type Right = "open" | "field" | "role";

/** The kinds of people in the console. */
export const kinds = ["operator", "owner", "member", "auditor_of_account", "auditor_of_all"] as const;

type Row = Readonly<Record<(typeof kinds)[number], Right>>;

/** The rights on each field of one operation's body; `""` for a body without fields. */
export type Rows = Readonly<Record<string, Row>>;

const rowsOf =
  (owner: Right, member: Right) =>
  (...fields: readonly string[]): Rows => {
    const row: Row = { operator: "open", owner, member, auditor_of_account: "role", auditor_of_all: "role" };
    return Object.fromEntries(fields.map((field) => [field, row]));
  };
const operators = rowsOf("role", "role");
const owners = rowsOf("open", "role");
/** Owners may set these within their own account. */
const withinAccount = rowsOf("field", "role");
/** Only operators may set these fields of what others may change. */
const ofOperators = rowsOf("field", "field");
const members = rowsOf("open", "open");
/** Members may set these within the limits set by an owner. */
const limited = rowsOf("open", "field");

/** The contract's table that has a key's field decides who may set it. */
const keyFields = {
  ...limited(...Object.keys(limitFields)),
  ...members(...Object.keys(descriptiveFields)),
  ...ofOperators(...Object.keys(operatorFields)),
};
const providerSettings = [
  "adaptive_concurrency",
  "api_version",
  "caches_from_tokens",
  "circuit",
  "developer_role",
  "free_fields",
  "on_abort",
  "openai_options",
  "unsupported_fields",
];
const modelFields = [
  "aliases",
  "context_tokens",
  "default_image_detail",
  "display_name",
  "embedding",
  "enabled",
  "fallbacks",
  "image",
  "image_tokens",
  "input",
  "max_output_tokens",
  "operations",
  "original_image_tokens",
  "output",
  "output_cap_field",
  "owned_by",
  "price",
  "reasoning",
  "search",
  "speech",
  "stream_only",
  "strategy",
  "tokenizer_margin",
  "upstreams",
];
const budgetFields = ["name", "max_budget", "period", "hard", "end_users", ...Object.keys(levelFields)];
const alertTerms = ["name", "monthly_usd", "below_usd", "thresholds", "webhook_url", "emails"];

/**
 * The rights of each kind of person on each writable field of the admin API. `npm run check`
 * fails for a field of the contract without a row here.
 */
export const fieldRights: Readonly<Partial<Record<AdminOperation, Rows>>> = {
  "admin.accounts.create": operators("id", "name"),
  "admin.accounts.update": operators("name", "keep_answers", "lower_output_cap", "store_responses", "disabled"),
  "admin.accounts.top_up": operators("amount_usd", "reference", "note"),
  "admin.keys.create": { ...keyFields, ...members("account_id", "expires") },
  "admin.keys.update": keyFields,
  "admin.keys.regenerate": members("overlap_seconds"),
  "admin.budgets.create": owners("account_id", "parent_id", ...budgetFields),
  "admin.budgets.update": owners(...budgetFields),
  "admin.envelopes.close": owners(""),
  "admin.ledger.repair": operators("request_id", "all", "cost_usd", "dry_run", "limit", "after"),
  "admin.prices.accept": operators("model", "price_version", "from", "effective_from", "confirm"),
  "admin.prices.table": operators("name", "origin", "prices"),
  "admin.models.create": operators("id", "like", ...modelFields),
  "admin.models.update": operators("revision", ...modelFields),
  "admin.providers.create": operators(
    "api_key",
    "base_url",
    "enabled",
    "id",
    "protocol",
    "template",
    "variable",
    ...providerSettings,
  ),
  "admin.providers.update": operators("base_url", "enabled", "revision", ...providerSettings),
  "admin.providers.test": operators("credential_id", "model"),
  "admin.providers.credentials.create": operators(
    "account",
    "api_key",
    "base_url",
    "daily_cap_usd",
    "enabled",
    "monthly_cap_usd",
    "name",
    "priority",
    "revision",
    "variable",
    "weight",
  ),
  "admin.providers.credentials.update": operators(
    "account",
    "daily_cap_usd",
    "enabled",
    "monthly_cap_usd",
    "priority",
    "revision",
    "weight",
  ),
  "admin.tokens.create": operators("name", "role", "account_id", "budget_id", "expires"),
  "admin.alerts.create": owners("account_id", "kind", "key_id", "budget_id", ...alertTerms),
  "admin.alerts.update": owners(...alertTerms),
  "admin.alerts.test": owners(""),
  "admin.webhooks.secrets.create": owners("account_id", "overlap_seconds"),
  "admin.webhooks.deliveries.replay": owners(""),
};

/** The same for the console's own operations. */
export const consoleFieldRights: Readonly<Record<"users.update" | "invitations.create", Rows>> = {
  "users.update": { ...withinAccount("role", "account_id"), ...owners("disabled", "key_limits") },
  "invitations.create": { ...withinAccount("role", "account_id"), ...owners("email") },
};
