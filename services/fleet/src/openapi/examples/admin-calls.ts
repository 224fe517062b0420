import type { Carry } from "./recorder.ts";
import type { Json } from "./types.ts";

const idOf = (response: Json): string => String(response["id"]);
const firstOf = (response: Json): Json => ((response["data"] as Json[])[0] ?? {}) as Json;
const isFilled = (response: Json): boolean => (response["data"] as Json[]).length > 0;

/** Money and keys of an account created for this; returns its id. */
async function accounts(carry: Carry): Promise<void> {
  const account = await carry("admin.accounts.create", ["account", "An account"], { body: { name: "Research" } });
  const path = { id: idOf(account) };
  await carry("admin.accounts.top_up", ["money", "Fifty dollars"], {
    path,
    body: { amount_usd: "50", reference: "invoice-2026-117", note: "Bank transfer" },
  });
  await carry("admin.accounts.update", ["name", "Another name"], { path, body: { name: "Research and teaching" } });
  await carry("admin.accounts.get", ["account", "An account"], { path });
  await keys(carry, path.id);
}

async function keys(carry: Carry, account: string): Promise<void> {
  const limits = { models: ["gpt-4o-mini"], rpm_limit: 60, max_parallel_requests: 4, max_budget: 25 };
  const made = await carry("admin.keys.create", ["limited", "A key for one model, with limits"], {
    body: { account_id: account, key_alias: "search-service", ...limits, metadata: { team: "search" } },
  });
  const path = { id: idOf(made) };
  await carry("admin.keys.list", ["account", "The keys of an account"], { query: { account } });
  await carry("admin.keys.get", ["key", "A key"], { path });
  await carry("admin.keys.update", ["limit", "A higher limit"], { path, body: { rpm_limit: 120 } });
  await carry("admin.keys.regenerate", ["overlap", "The old secret is good for another hour"], {
    path,
    body: { overlap_seconds: 3_600 },
  });
  await carry("admin.keys.revoke", ["key", "A key"], { path });
}

/** About the account that made all the public examples. */
async function money(carry: Carry, account: string): Promise<void> {
  const path = { id: account };
  const query = { account };
  const events = await carry("admin.usage.events", ["newest", "The newest requests of an account for a model"], {
    query: { ...query, model: "gpt-4o-mini", limit: "2" },
    until: isFilled,
  });
  const request = String(firstOf(events)["request_id"]);
  await carry("admin.usage.receipt", ["request", "One request"], { path: { id: request } });
  await carry("admin.usage.list", ["days", "By day"], { query: { ...query, bucket: "day" }, until: isFilled });
  await carry("admin.usage.series", ["models", "By the hour and model"], {
    query: { ...query, bucket: "hour", group_by: "model" },
  });
  await carry("admin.usage.export", ["csv", "As CSV"], { query: { ...query, format: "csv" } });
  await carry("admin.ledger.read", ["request", "What a request cost"], { query: { request_id: request } });
  await carry("admin.ledger.repair", ["trial", "What would be charged, without charging it"], {
    body: { all: true, dry_run: true },
  });
  await carry("admin.accounts.list", ["page", "The first page"], { query: { limit: "2" } });
  await carry("admin.accounts.ledger", ["newest", "The newest rows"], { path, query: { limit: "2" } });
  await carry("admin.accounts.holds", ["now", "What is held now"], { path });
  await carry("admin.accounts.forecast", ["account", "An account"], { path });
  const invoices = await carry("admin.accounts.invoices", ["months", "Every month"], { path, until: isFilled });
  const month = String(firstOf(invoices)["month"]);
  await carry("admin.accounts.invoice", ["month", "One month"], { path: { ...path, month } });
}

async function operators(carry: Carry): Promise<void> {
  await carry("admin.models.list", ["all", "Every model"]);
  await carry("admin.fleet.get", ["now", "As it is now"]);
  const role = { name: "reports", role: "read-only", expires: "90d" };
  const made = await carry("admin.tokens.create", ["reader", "A token that may only read, for 90 days"], {
    body: role,
  });
  await carry("admin.tokens.list", ["page", "The first page"]);
  await carry("admin.tokens.revoke", ["token", "A token"], { path: { id: idOf(made) } });
  await carry("admin.audit_log.list", ["newest", "The newest rows"], { query: { limit: "2" } });
}

async function webhooks(carry: Carry, account: string): Promise<void> {
  const make = (example: readonly [string, string], body: Json) =>
    carry("admin.webhooks.secrets.create", example, { body: { account_id: account, ...body } });
  const earlier = await make(["first", "The first of an account"], {});
  await make(["overlap", "Another; the earlier one signs for an hour more"], { overlap_seconds: 3_600 });
  await carry("admin.webhooks.secrets.list", ["account", "Of an account"], { query: { account } });
  await carry("admin.webhooks.secrets.end", ["earlier", "An earlier one"], { path: { id: idOf(earlier) } });
  const delivered = ({ data }: Json): boolean => (data as Json[])[0]?.["state"] === "delivered";
  const deliveries = await carry("admin.webhooks.deliveries.list", ["account", "Of an account"], {
    query: { account },
    until: delivered,
  });
  const path = { id: idOf(firstOf(deliveries)) };
  await carry("admin.webhooks.deliveries.get", ["delivery", "A delivery, with what was sent"], { path });
  await carry("admin.webhooks.deliveries.replay", ["delivery", "The same message again"], { path });
}

async function alerts(carry: Carry, account: string): Promise<void> {
  const receivers = { webhook_url: "https://example.com/hooks/spending" };
  const made = await carry("admin.alerts.create", ["account", "At half, four fifths and all of 500 dollars"], {
    body: { account_id: account, name: "Research", monthly_usd: "500", ...receivers },
  });
  const path = { id: idOf(made) };
  await carry("admin.alerts.list", ["account", "Of an account"], { query: { account } });
  await carry("admin.alerts.update", ["earlier", "Told of it earlier"], { path, body: { thresholds: [25, 50, 75] } });
  await carry("admin.alerts.test", ["alert", "An alert"], { path });
  await carry("admin.alerts.delete", ["alert", "An alert"], { path });
}

/**
 * Runs examples of every operation of the admin API, in a working order.
 * @param account the account of the key that made the public API's examples, which include a video
 */
export async function callAdminApi(carry: Carry, { account }: { readonly account: string }): Promise<void> {
  await accounts(carry);
  await money(carry, account);
  await webhooks(carry, account);
  await alerts(carry, account);
  await operators(carry);
}
