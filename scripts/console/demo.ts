import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adminApi } from "@uag/cli/commands/admin-api";
import { clientId, clientSecret, startProvider } from "@uag/e2e/console/oidc-provider";
import { settleUnpriced } from "@uag/e2e/console/unpriced";
import { MailServer } from "@uag/e2e/mail/mail-server";
import { setFault } from "@uag/harness/fleet/faults";
import { startReceiver } from "@uag/harness/fleet/receiver";
import { buildConsole } from "@uag/local/console-web";
import type { Run } from "@uag/local/run-file";
import { startFleet } from "@uag/local/service";
import { makeReceipts } from "./receipts.ts";

export interface Demo extends AsyncDisposable {
  readonly run: Run;
}

interface KeyOf {
  readonly key: string;
  readonly id: string;
}

const keysOf = (accountId: string) => [
  {
    account_id: accountId,
    key_alias: "production",
    rpm_limit: 600,
    tpm_limit: 400_000,
    max_parallel_requests: 40,
    max_budget: 250,
    metadata: { tags: ["website", "checkout"] },
  },
  { account_id: accountId, key_alias: "support assistant", max_budget: 0.02, metadata: { tags: ["support"] } },
  {
    account_id: accountId,
    key_alias: "nightly evaluation",
    models: ["gpt-4o-mini", "text-embedding-3-small"],
    expires: "90d",
  },
  { account_id: accountId, key_alias: "trial", rpm_limit: 2, tpm_limit: 20_000, max_budget: 5 },
];

const texts = [
  "Summarise the refund policy in two sentences.",
  "Write a subject line for the spring newsletter.",
  "Which of our plans includes single sign-on?",
];

/** Budgets of the account, nested, of which the first two keys use one each. */
async function makeBudgets(api: ReturnType<typeof adminApi>, accountId: string, keys: readonly KeyOf[]) {
  const create = async (fields: object): Promise<string> =>
    ((await api.call("POST", "/budgets", { account_id: accountId, ...fields })) as { id: string }).id;
  const company = await create({ name: "Company", max_budget: 10 });
  const website = await create({ name: "Website", max_budget: 2, period: "week", parent_id: company });
  const support = await create({ name: "Support", max_budget: 0.01, period: "day", parent_id: company });
  await create({ name: "Night shift", max_budget: 0.005, period: "day", hard: false, parent_id: support });
  await create({ name: "Launch event", max_budget: 40, period: "total" });
  for (const [at, budgetId] of [website, support].entries())
    await api.call("PATCH", `/keys/${keys[at]?.id}`, { budget_id: budgetId });
}

/** One request of each kind; its response is read to the end. */
const requests: readonly (readonly [path: string, body: object])[] = [
  ...["gpt-4o-mini", "claude-sonnet-4-6", "gemini-2.5-flash", "qwen-plus"].flatMap((model) =>
    texts.map(
      (content) => ["/chat/completions", { model, max_tokens: 60, messages: [{ role: "user", content }] }] as const,
    ),
  ),
  [
    "/chat/completions",
    { model: "gpt-5", stream: true, max_tokens: 2_000, messages: [{ role: "user", content: "Tell me a story." }] },
  ],
  ["/embeddings", { model: "text-embedding-3-small", input: texts }],
  ["/images/generations", { model: "gamma-image-1", prompt: "A lighthouse at dusk" }],
  ["/audio/speech", { model: "alpha3-tts-flash", input: "Your order is on its way.", voice: "Cherry" }],
];

/** Sends a request and reads its response to the end. @throws when it fails */
async function post({ base_url }: Run, key: string | undefined, path: string, body: object): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(`${base_url}/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} responded ${response.status}: ${text}`);
  return text;
}

async function makeTraffic(run: Run, keys: readonly KeyOf[]): Promise<void> {
  for (const [at, [path, body]] of requests.entries()) await post(run, keys[at % 2]?.key, path, body);
}

/** An agent's run with nested envelopes and requests of each, one of an agent alone, and a run that has ended. */
async function makeEnvelopes(run: Run, api: ReturnType<typeof adminApi>, { key }: KeyOf): Promise<void> {
  const open = async (by: string, name: string, maxUsd: number): Promise<KeyOf> =>
    JSON.parse(await post(run, by, "/envelopes", { name, max_usd: maxUsd, ttl: 3_600 })) as KeyOf;
  const research = await open(key, "Market research", 0.5);
  const reader = await open(research.key, "Web reader", 0.01);
  const critic = await open(research.key, "Critic", 0.2);
  const checker = await open(critic.key, "Fact check of the summary for the board", 0.1);
  await open(key, "Nightly report", 2);
  const ended = await open(key, "Import of the catalogue", 1);
  const translation = await open(ended.key, "Translation", 0.4);
  for (const [opened, model] of [
    [reader, "gpt-4o-mini"],
    [reader, "gemini-2.5-flash"],
    [critic, "claude-sonnet-4-6"],
    [checker, "gpt-4o-mini"],
    [translation, "qwen-plus"],
  ] as const)
    for (const content of texts)
      await post(run, opened.key, "/chat/completions", {
        model,
        max_tokens: 60,
        messages: [{ role: "user", content }],
      });
  await api.call("POST", `/envelopes/${ended.id}/close`);
}

/** Has requests of a key refused: beyond its limit of requests per minute, and for an unknown model. */
async function makeRefusals({ base_url }: Run, { key }: KeyOf): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  for (const model of ["gpt-4o-mini", "gpt-4o-mini", "gpt-4o-mini", "gpt-4o-mini", "gpt-4-mini"]) {
    const body = JSON.stringify({ model, max_tokens: 8, messages: [{ role: "user", content: "Hello" }] });
    await (await fetch(`${base_url}/v1/chat/completions`, { method: "POST", headers, body })).text();
  }
}

/** Makes one provider report wrong usage: slightly for one model, grossly for another. */
async function makeExcess(run: Run, { key }: KeyOf): Promise<void> {
  for (const [model, times] of [
    ["claude-sonnet-4-6", 12],
    ["qwen-plus", 2_000],
  ] as const) {
    const endFault = await setFault(run.simulator_url, { "usage-lie": times }, { model });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ model, max_tokens: 8, messages: [{ role: "user", content: "Hello" }] });
    await (await fetch(`${run.base_url}/v1/chat/completions`, { method: "POST", headers, body })).text();
    await endFault();
  }
}

/** Two tables of prices that agree on one change and differ about another. */
async function putTables(api: ReturnType<typeof adminApi>): Promise<void> {
  const link = "https://openai.com/api/pricing";
  const rates = { "gpt-4.1-mini": { input_tokens: "0.4", output_tokens: "1.2" } };
  for (const [name, origin, input] of [
    ["litellm", "litellm 1.110.2", "5"],
    ["genai-prices", "genai-prices 0.2.3", "2.5"],
  ]) {
    const models = { ...rates, "gpt-4o": { input_tokens: input, output_tokens: "12" } };
    const prices = Object.entries(models).map(([model, own]) => ({ provider: "openai", model, link, rates: own }));
    await api.call("POST", "/prices/tables", { name, origin, prices });
  }
}

interface Receivers {
  readonly emails: readonly string[];
  readonly webhook_url: string;
}

/** Accounts, keys, requests, alerts of every kind and a request without a price. */
async function fill(run: Run, receivers: Receivers): Promise<void> {
  const api = adminApi(run);
  const { account_id } = run;
  for (const name of ["Research", "Mobile app"]) {
    const { id } = (await api.call("POST", "/accounts", { name })) as { id: string };
    await api.call("POST", `/accounts/${id}/top-ups`, { amount_usd: "250", reference: "first", note: "Invoice 2041" });
  }
  const keys: KeyOf[] = [];
  for (const fields of keysOf(account_id)) keys.push((await api.call("POST", "/keys", fields)) as KeyOf);
  await makeBudgets(api, account_id, keys);
  await makeTraffic(run, keys);
  if (keys[0] !== undefined) {
    await makeExcess(run, keys[0]);
    await makeReceipts(run, keys[0].key);
    await makeEnvelopes(run, api, keys[0]);
  }
  if (keys[3] !== undefined) await makeRefusals(run, keys[3]);
  const alert = { account_id, ...receivers };
  const [, support] = keys;
  await api.call("POST", "/alerts", { ...alert, kind: "spend", name: "Team", monthly_usd: "0.05" });
  await api.call("POST", "/alerts", { ...alert, kind: "budget", key_id: support?.id, thresholds: [50, 80, 100] });
  await api.call("POST", "/alerts", { ...alert, kind: "balance", name: "Finance", below_usd: "150" });
  await putTables(api);
  for (const id of ["req_01k3v9q2t7w4", "req_01k3v9r8m1x0"]) await settleUnpriced(run, id);
}

/**
 * A fleet with a built console and data on each of its pages, and with an OpenID provider, an
 * e-mail server and a receiver of webhooks.
 */
export async function startDemo(report: (line: string) => void): Promise<Demo> {
  await using started = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "console-demo-"));
  started.defer(() => rm(dataDir, { recursive: true, force: true }));
  await buildConsole({ report });
  const provider = started.use(await startProvider({}));
  const mail = started.use(await MailServer.start());
  const receiver = started.use(await startReceiver({ refuseEvery: 2 }));
  const env = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_LABEL: "Example SSO",
    OIDC_ROLES: "admins=operator",
    SMTP_URL: mail.url(),
    SMTP_CA: mail.ca,
    SMTP_FROM: "Gateway <gateway@example.com>",
    ALERTS_EVERY_MS: "300",
  };
  const { run, stop } = await startFleet({ dataDir, env, egressAllow: receiver.address, report });
  started.defer(stop);
  provider.allow(`${run.console_url}/api/oidc/callback`);
  await fill(run, { emails: ["finance@example.com", "platform-team@example.com"], webhook_url: receiver.url });
  const resources = started.move();
  return { run, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}
