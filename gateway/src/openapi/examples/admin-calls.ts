import type { Call, Json } from "./types.ts";

const idOf = (response: Json): string => String(response["id"]);
const firstOf = (response: Json): Json => ((response["data"] as Json[])[0] ?? {}) as Json;
const isFilled = (response: Json): boolean => (response["data"] as Json[]).length > 0;

/** Money and keys of an account created for this; returns its id. */
async function accounts(call: Call): Promise<void> {
  const account = await call("admin.accounts.create", ["account", "An account"], { body: { name: "Research" } });
  const path = { id: idOf(account) };
  await call("admin.accounts.top_up", ["money", "50 USD"], {
    path,
    body: { amount_usd: "50", reference: "invoice-2026-117", note: "Bank transfer" },
  });
  await call("admin.accounts.update", ["name", "Another name"], { path, body: { name: "Research and teaching" } });
  await call("admin.accounts.get", ["account", "An account"], { path });
  // The other account has rows that two services write at once, in no fixed order.
  await call("admin.accounts.ledger", ["newest", "The newest rows"], { path, query: { limit: "2" } });
  await keys(call, path.id);
}

async function keys(call: Call, account: string): Promise<void> {
  const limits = { models: ["gpt-4o-mini"], rpm_limit: 60, max_parallel_requests: 4, max_budget: 25 };
  const made = await call("admin.keys.create", ["limited", "A key for one model, with limits"], {
    body: { account_id: account, key_alias: "search-service", ...limits, metadata: { team: "search" } },
  });
  const path = { id: idOf(made) };
  await call("admin.keys.list", ["account", "An account's keys"], { query: { account } });
  await call("admin.keys.get", ["key", "A key"], { path });
  await call("admin.keys.use", ["key", "A key"], { path });
  await call("admin.keys.update", ["limit", "A higher limit"], { path, body: { rpm_limit: 120 } });
  await call("admin.keys.regenerate", ["overlap", "The previous secret works for another hour"], {
    path,
    body: { overlap_seconds: 3_600 },
  });
  await call("admin.keys.revoke", ["key", "A key"], { path });
}

/** About an account with usage. */
async function money(call: Call, account: string): Promise<void> {
  const path = { id: account };
  const query = { account };
  const events = await call("admin.usage.events", ["newest", "An account's newest requests for a model"], {
    query: { ...query, model: "gpt-4o-mini", limit: "2" },
    until: isFilled,
  });
  const request = String(firstOf(events)["request_id"]);
  await call("admin.usage.receipt", ["request", "One request"], { path: { id: request } });
  await call("admin.usage.list", ["days", "By day"], { query: { ...query, bucket: "day" }, until: isFilled });
  await call("admin.usage.series", ["models", "By hour and model"], {
    query: { ...query, bucket: "hour", group_by: "model" },
  });
  await call("admin.refusals.list", ["limit", "An account's requests beyond a limit of requests per minute"], {
    query: { ...query, reason: "rate_limit_exceeded" },
  });
  await call("admin.refusals.series", ["reasons", "By hour and reason"], {
    query: { ...query, bucket: "hour", group_by: "reason" },
  });
  await call("admin.usage.export", ["csv", "As CSV"], { query: { ...query, format: "csv" } });
  await call("admin.ledger.read", ["request", "A request's cost"], { query: { request_id: request } });
  await call("admin.ledger.repair", ["trial", "A dry run without charges"], {
    body: { all: true, dry_run: true },
  });
  await call("admin.accounts.list", ["page", "The first page"], { query: { limit: "2" } });
  await call("admin.accounts.holds", ["now", "Current holds"], { path });
  await call("admin.accounts.forecast", ["account", "An account"], { path });
  await call("admin.accounts.message_budgets", ["now", "Current use"], { path });
  const invoices = await call("admin.accounts.invoices", ["months", "All months"], { path, until: isFilled });
  const month = String(firstOf(invoices)["month"]);
  await call("admin.accounts.invoice", ["month", "One month"], { path: { ...path, month } });
}

async function operators(call: Call): Promise<void> {
  await call("admin.models.list", ["all", "All models"]);
  await call("admin.fleet.get", ["now", "Current state"]);
  await call("admin.reconciliations.list", ["days", "The last days"], { query: { provider: "openai" } });
  await prices(call);
  await providers(call);
  const role = { name: "reports", role: "read-only", expires: "90d" };
  const made = await call("admin.tokens.create", ["reader", "A read-only token, valid for 90 days"], {
    body: role,
  });
  await call("admin.tokens.list", ["page", "The first page"]);
  await call("admin.tokens.revoke", ["token", "A token"], { path: { id: idOf(made) } });
  await call("admin.audit_log.list", ["newest", "The newest rows"], { query: { limit: "2" } });
}

/** One table doubles a model's output price, which needs a second look. */
async function prices(call: Call): Promise<void> {
  const rates = { input_tokens: "0.15", output_tokens: "1.2" };
  const link = "https://openai.com/api/pricing";
  const table = {
    name: "litellm",
    origin: "litellm 1.109.1",
    prices: [{ provider: "openai", model: "gpt-4o-mini", link, rates }],
  };
  await call("admin.prices.table", ["litellm", "One model of LiteLLM's table"], { body: table });
  const review = await call("admin.prices.review", ["all", "Everything to look at"]);
  const [found] = review["models"] as Json[];
  await call("admin.prices.accept", ["confirmed", "A price that only one table has, after a second look"], {
    body: { model: "gpt-4o-mini", price_version: String(found?.["price_version"]), from: "litellm", confirm: true },
  });
}

/** A second credential, disabled, so that the provider stays simulated. */
async function providers(call: Call): Promise<void> {
  const path = { id: "deepseek" };
  await call("admin.providers.list", ["all", "All providers"]);
  const found = await call("admin.providers.get", ["provider", "A provider"], { path });
  await call("admin.providers.test", ["model", "With a model of the catalogue"], {
    path,
    body: { model: "deepseek-flash" },
  });
  await call("admin.providers.models", ["all", "All models"], { path });
  const body = { api_key: "an-example-key-abcd", name: "Production", enabled: false };
  const made = await call("admin.providers.credentials.create", ["later", "A credential to be enabled later"], {
    path,
    body,
  });
  const revision = Number(found["revision"]);
  await call("admin.providers.update", ["enable", "Enable"], { path, body: { revision, enabled: true } });
  const credential = { ...path, credential: idOf(made) };
  await call("admin.providers.credentials.update", ["disable", "Disable"], {
    path: credential,
    body: { revision: Number(made["revision"]), enabled: false },
  });
  await call("admin.providers.credentials.delete", ["credential", "A credential"], { path: credential });
  await addedProvider(call);
  await addedModels(call);
}

/** A provider that is disabled, so that no request goes there. */
async function addedProvider(call: Call): Promise<void> {
  await call("admin.provider_templates.list", ["all", "All templates"]);
  const provider = { id: "groq", template: "groq", api_key: "an-example-key-abcd", enabled: false };
  await call("admin.providers.create", ["template", "A provider from a template"], { body: provider });
  await call("admin.providers.delete", ["provider", "A provider and its models"], { path: { id: "groq" } });
}

async function addedModels(call: Call): Promise<void> {
  const made = await call("admin.models.create", ["price", "A model with its price"], {
    body: {
      id: "deepseek/deepseek-chat",
      operations: ["chat.completions", "messages"],
      context_tokens: 131_072,
      max_output_tokens: 8_192,
      price: { input_tokens: 0.28, output_tokens: 0.42 },
      upstreams: [{ provider: "deepseek", model: "deepseek-chat" }],
    },
  });
  await call("admin.models.create", ["like", "A model that is like another, under a name of its own"], {
    body: { id: "default", like: "gpt-4o-mini" },
  });
  const path = { model: idOf(made) };
  await call("admin.models.get", ["model", "A model"], { path });
  await call("admin.catalog.get", ["changes", "All changes"]);
  await call("admin.models.update", ["price", "Another price, in force at once"], {
    path,
    body: { revision: Number(made["revision"]), price: { input_tokens: 0.3, output_tokens: 0.45 } },
  });
  await call("admin.models.delete", ["model", "A model"], { path });
  await call("admin.models.delete", ["like", "The model of a name of its own"], { path: { model: "default" } });
}

async function webhooks(call: Call, account: string): Promise<void> {
  const make = (example: readonly [string, string], body: Json) =>
    call("admin.webhooks.secrets.create", example, { body: { account_id: account, ...body } });
  const earlier = await make(["first", "An account's first secret"], {});
  await make(["overlap", "A new secret; the previous one signs for another hour"], { overlap_seconds: 3_600 });
  await call("admin.webhooks.secrets.list", ["account", "One account"], { query: { account } });
  await call("admin.webhooks.secrets.end", ["earlier", "An earlier one"], { path: { id: idOf(earlier) } });
  const delivered = ({ data }: Json): boolean => (data as Json[])[0]?.["state"] === "delivered";
  const deliveries = await call("admin.webhooks.deliveries.list", ["account", "One account"], {
    query: { account },
    until: delivered,
  });
  const path = { id: idOf(firstOf(deliveries)) };
  await call("admin.webhooks.deliveries.get", ["delivery", "A delivery with its payload"], { path });
  await call("admin.webhooks.deliveries.replay", ["delivery", "The same message again"], { path });
}

async function budgets(call: Call, account: string): Promise<void> {
  const company = await call("admin.budgets.create", ["month", "5,000 USD a month"], {
    body: { account_id: account, name: "Company", max_budget: "5000" },
  });
  const team = await call("admin.budgets.create", ["within", "100 USD a day, within the first"], {
    body: { account_id: account, name: "Research", parent_id: idOf(company), max_budget: "100", period: "day" },
  });
  const path = { id: idOf(team) };
  await call("admin.budgets.list", ["account", "One account"], { query: { account } });
  await call("admin.budgets.update", ["raise", "150 USD a day"], { path, body: { max_budget: "150" } });
  await call("admin.budgets.update", ["limits", "300 requests a minute of all keys together, and one model"], {
    path,
    body: { rpm_limit: 300, models: ["gpt-4o-mini"] },
  });
  const endUsers = { max_budget: "0.5", period: "day", rpm_limit: 10, required: true };
  await call("admin.budgets.update", ["end-users", "0.50 USD a day for each end user"], {
    path,
    body: { end_users: endUsers },
  });
  await call("admin.budgets.get", ["budget", "A budget"], { path });
  await call("admin.budgets.end_users", ["one", "One end user"], { path, query: { end_user: "customer-4711" } });
  await call("admin.alerts.create", ["budget", "At 80% of a shared budget"], {
    body: {
      account_id: account,
      kind: "budget",
      budget_id: path.id,
      thresholds: [80],
      webhook_url: "https://example.com/hooks/spending",
    },
  });
  await call("admin.budgets.delete", ["budget", "A budget"], { path });
}

/** About an account with an open envelope. */
async function envelopes(call: Call, account: string): Promise<void> {
  const open = await call("admin.envelopes.list", ["open", "The open envelopes of an account"], {
    query: { account, state: "open" },
  });
  const path = { id: idOf(firstOf(open)) };
  await call("admin.envelopes.get", ["run", "An envelope with the costs of its run"], { path });
  await call("admin.envelopes.close", ["end", "The end of a run"], { path });
}

async function alerts(call: Call, account: string): Promise<void> {
  const receivers = { webhook_url: "https://example.com/hooks/spending" };
  const made = await call("admin.alerts.create", ["account", "At 50%, 80% and 100% of 500 USD"], {
    body: { account_id: account, name: "Research", monthly_usd: "500", ...receivers },
  });
  await call("admin.alerts.create", ["balance", "When less than 20 USD are left"], {
    body: { account_id: account, kind: "balance", below_usd: "20", ...receivers },
  });
  const path = { id: idOf(made) };
  await call("admin.alerts.list", ["account", "One account"], { query: { account } });
  await call("admin.alerts.update", ["earlier", "Alert earlier"], { path, body: { thresholds: [25, 50, 75] } });
  await call("admin.alerts.test", ["alert", "An alert"], { path });
  await call("admin.alerts.delete", ["alert", "An alert"], { path });
}

/**
 * Runs examples of every operation of the admin API, in a working order.
 * @param accounts.account an account with usage and an open envelope
 * @param accounts.videoAccount an account that received a webhook about a video
 */
export async function callAdminApi(
  call: Call,
  { account, videoAccount }: { readonly account: string; readonly videoAccount: string },
): Promise<void> {
  await accounts(call);
  await money(call, account);
  await webhooks(call, videoAccount);
  await alerts(call, account);
  await budgets(call, account);
  await envelopes(call, account);
  await operators(call);
}
