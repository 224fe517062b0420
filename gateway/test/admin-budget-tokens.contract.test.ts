import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { type AdminOperation, adminRoutes } from "@uag/contract/routes";
import { type FakeAdmin, startFakeAdmin } from "./support/fake-admin.ts";
import { type Stage, startStage } from "./support/stage.ts";

let stage: Stage;
let fake: FakeAdmin;
const token = "token-of-one-budget-0123456789";
before(async () => {
  fake = await startFakeAdmin();
  stage = await startStage({ BILLING_ADDR: fake.address, METERING_ADDR: fake.address });
  fake.addToken(token, { accountId: "acme", budgetId: "bud_1" });
});
after(async () => {
  await stage[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});
beforeEach(() => {
  fake.received.length = 0;
});

const call = (method: string, path: string, body?: unknown) =>
  fetch(`http://127.0.0.1:${stage.gateway.adminPort}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

/** A call: what follows the path or is its id, the body, and the expected status. */
interface Row {
  readonly id?: string;
  readonly query?: string;
  readonly body?: object;
  readonly status: number;
}

const refused = [{ status: 403 }] as const;
const lists: readonly Row[] = [
  { status: 200 },
  { query: "?account=acme", status: 200 },
  { query: "?account=other", status: 403 },
];
const byId = (own: string, body?: object, status = 200): readonly Row[] => [
  { id: own, status, ...(body && { body }) },
  { id: `${own.split("_")[0]}_aside`, status: 404, ...(body && { body }) },
  { id: `${own.split("_")[0]}_other`, status: 404, ...(body && { body }) },
];
/** The token's own budget, which it cannot change; one below it, which it can; and one beside it. */
const changes = (body?: object): readonly Row[] => [
  { id: "bud_1", status: 403, ...(body && { body }) },
  ...byId("bud_below", body),
];

/** What a token of one budget gets from each route. */
const expected: Readonly<Record<AdminOperation, readonly Row[]>> = {
  "admin.accounts.create": refused,
  "admin.accounts.list": refused,
  "admin.accounts.get": refused,
  "admin.accounts.update": refused,
  "admin.accounts.top_up": refused,
  "admin.accounts.ledger": refused,
  "admin.accounts.holds": refused,
  "admin.accounts.forecast": refused,
  "admin.accounts.message_budgets": refused,
  "admin.accounts.invoices": refused,
  "admin.accounts.invoice": refused,
  "admin.keys.create": [
    { body: {}, status: 201 },
    { body: { account_id: "acme", budget_id: "bud_1" }, status: 201 },
    { body: { budget_id: "bud_below" }, status: 201 },
    { body: { budget_id: "bud_aside" }, status: 404 },
    { body: { budget_id: "bud_other" }, status: 404 },
    { body: { account_id: "other" }, status: 403 },
  ],
  "admin.keys.list": lists,
  "admin.keys.get": byId("key_1"),
  "admin.keys.use": byId("key_1"),
  "admin.keys.update": [
    ...byId("key_1", { rpm_limit: 1 }),
    { id: "key_1", body: { budget_id: "bud_below" }, status: 200 },
    { id: "key_1", body: { budget_id: "bud_aside" }, status: 404 },
    { id: "key_1", body: { budget_id: null }, status: 403 },
  ],
  "admin.keys.revoke": byId("key_1"),
  "admin.keys.regenerate": byId("key_1", {}, 200),
  "admin.budgets.create": [
    { body: { name: "b", max_budget: 1 }, status: 201 },
    { body: { name: "b", max_budget: 1, parent_id: "bud_below" }, status: 201 },
    { body: { name: "b", max_budget: 1, parent_id: "bud_aside" }, status: 404 },
    { body: { name: "b", max_budget: 1, account_id: "other" }, status: 403 },
  ],
  "admin.budgets.list": lists,
  "admin.budgets.get": [{ id: "bud_1", status: 200 }, ...byId("bud_below")],
  "admin.budgets.end_users": [{ id: "bud_1", status: 200 }, ...byId("bud_below")],
  "admin.budgets.update": changes({ max_budget: 1 }),
  "admin.budgets.delete": changes(),
  "admin.envelopes.list": lists,
  "admin.envelopes.get": byId("env_1"),
  "admin.envelopes.close": byId("env_1"),
  "admin.usage.list": lists,
  "admin.usage.events": lists,
  "admin.usage.series": lists,
  "admin.usage.receipt": byId("r_1"),
  "admin.usage.export": lists,
  "admin.refusals.list": lists,
  "admin.refusals.series": lists,
  "admin.ledger.read": refused,
  "admin.ledger.repair": refused,
  "admin.models.list": [{ status: 200 }],
  "admin.models.create": refused,
  "admin.models.get": [{ id: "m", status: 404 }],
  "admin.models.update": refused,
  "admin.models.delete": refused,
  "admin.fleet.get": refused,
  "admin.reconciliations.list": refused,
  "admin.prices.review": refused,
  "admin.prices.accept": refused,
  "admin.prices.table": refused,
  "admin.providers.list": refused,
  "admin.providers.create": refused,
  "admin.providers.get": refused,
  "admin.providers.update": refused,
  "admin.providers.delete": refused,
  "admin.providers.test": refused,
  "admin.providers.models": refused,
  "admin.providers.credentials.create": refused,
  "admin.providers.credentials.update": refused,
  "admin.providers.credentials.delete": refused,
  "admin.catalog.get": refused,
  "admin.provider_templates.list": refused,
  "admin.audit_log.list": refused,
  "admin.tokens.create": refused,
  "admin.tokens.list": refused,
  "admin.tokens.revoke": refused,
  "admin.alerts.create": refused,
  "admin.alerts.list": refused,
  "admin.alerts.update": refused,
  "admin.alerts.delete": refused,
  "admin.alerts.test": refused,
  "admin.webhooks.secrets.create": refused,
  "admin.webhooks.secrets.list": refused,
  "admin.webhooks.secrets.end": refused,
  "admin.webhooks.deliveries.list": refused,
  "admin.webhooks.deliveries.get": refused,
  "admin.webhooks.deliveries.replay": refused,
};

for (const { method, path, operation } of adminRoutes) {
  test(`a token of one budget gets only what is below it from ${operation}`, async () => {
    for (const { id = "acme", query = "", body, status } of expected[operation]) {
      const target = path.replace(":id", id).replace(":month", "2027-01") + query;
      const response = await call(method, target, body);
      const text = await response.text();
      assert.equal(response.status, status, `${method} ${target} ${JSON.stringify(body)}: ${text}`);
      if (method === "GET") assert.ok(!text.includes("bud_top"), "what is above the budget is not shown");
      if (expected[operation] === refused) assert.match(text, /limited to the budget bud_1\./);
    }
    if (expected[operation] === refused) assert.deepEqual(fake.received, []);
  });
}

/** The requests that services received for a call. */
async function received(method: string, path: string, body?: unknown): Promise<Record<string, unknown>[]> {
  fake.received.length = 0;
  await (await call(method, `/admin/v1${path}`, body)).text();
  return fake.received.map(({ request }) => request as Record<string, unknown>);
}

test("lists of a token of one budget are requested for this budget and for its keys only", async () => {
  for (const path of ["/keys", "/budgets"]) assert.equal((await received("GET", path))[0]?.["budgetId"], "bud_1", path);
  const [envelopes] = await received("GET", "/envelopes");
  assert.deepEqual(envelopes?.["scope"], { accountId: "acme", keyId: "", budgetId: "bud_1" });
  for (const path of ["/usage", "/usage/events", "/usage/series", "/refusals", "/refusals/series"]) {
    for (const [query, ids] of [
      ["", ["key_1"]],
      ["?key=key_1", ["key_1"]],
      ["?key=key_aside", []],
    ] as const) {
      const [request] = await received("GET", path + query);
      const { accountId, keyId, keys } = (request?.["filter"] ?? {}) as Record<string, unknown>;
      assert.deepEqual([accountId, keyId, keys], ["acme", "", { ids }], path + query);
    }
  }
});

test("a key or a budget that a token of one budget creates belongs to it unless one below it is named", async () => {
  assert.equal((await received("POST", "/keys", {}))[0]?.["budgetId"], "bud_1");
  assert.equal((await received("POST", "/keys", { budget_id: "bud_below" }))[0]?.["budgetId"], "bud_below");
  assert.equal((await received("POST", "/budgets", { name: "b", max_budget: 1 }))[0]?.["parentId"], "bud_1");
});
