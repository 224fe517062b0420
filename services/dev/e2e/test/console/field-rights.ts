import type { AdminOperation } from "@uag/contract/routes";

/** What happens to a field: it is accepted, or rejected because of the role or of the field. */
export type Right = "open" | "field" | "role";

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
const members = rowsOf("open", "open");
/** Members may set these within the limits set by an owner. */
const limited = rowsOf("open", "field");

const limits = ["models", "rpm_limit", "tpm_limit", "max_parallel_requests", "max_budget"];
const alertTerms = ["name", "monthly_usd", "below_usd", "thresholds", "webhook_url", "emails"];

/**
 * The rights of each kind of person on each writable field of the admin API. A field that is added
 * to the contract needs a row here.
 */
export const fieldRights: Readonly<Partial<Record<AdminOperation, Rows>>> = {
  "admin.accounts.create": operators("id", "name"),
  "admin.accounts.update": operators("name", "keep_answers"),
  "admin.accounts.top_up": operators("amount_usd", "reference", "note"),
  "admin.keys.create": { ...limited(...limits), ...members("account_id", "key_alias", "metadata", "expires") },
  "admin.keys.update": { ...limited(...limits, "expires"), ...members("key_alias", "metadata") },
  "admin.keys.regenerate": members("overlap_seconds"),
  "admin.ledger.repair": operators("request_id", "all", "cost_usd", "dry_run", "limit", "after"),
  "admin.prices.accept": operators("model", "price_version", "from", "effective_from", "confirm"),
  "admin.prices.table": operators("name", "origin", "prices"),
  "admin.tokens.create": operators("name", "role", "account_id", "expires"),
  "admin.alerts.create": owners("account_id", "kind", "key_id", ...alertTerms),
  "admin.alerts.update": owners(...alertTerms),
  "admin.alerts.test": owners(""),
  "admin.webhooks.secrets.create": owners("account_id", "overlap_seconds"),
  "admin.webhooks.deliveries.replay": owners(""),
};
