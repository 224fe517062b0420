import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { adminRoutes, consoleHeader } from "@uag/contract/routes";
import { waitFor } from "@uag/harness/testing/wait-for";
import { roleNames } from "../src/admin/access.ts";
import { adminToken, type FakeAdmin, startFakeAdmin } from "./support/fake-admin.ts";
import { type Stage, startStage } from "./support/stage.ts";

let stage: Stage;
let fake: FakeAdmin;
before(async () => {
  fake = await startFakeAdmin();
  stage = await startStage({ BILLING_ADDR: fake.address, METERING_ADDR: fake.address, TRUSTED_HOPS: "1" });
});
after(async () => {
  await stage[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});
beforeEach(() => {
  fake.received.length = 0;
});

interface Init {
  readonly token?: string;
  readonly body?: unknown;
  readonly from?: string;
  readonly origin?: string;
  /** By which the console proves itself; empty for anyone else. */
  readonly console?: string;
}

const call = (
  method: string,
  path: string,
  { token = adminToken, body, from = "192.0.2.1", origin, console = adminToken }: Init = {},
) =>
  fetch(`http://127.0.0.1:${stage.gateway.adminPort}/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "x-forwarded-for": `6.6.6.6, ${from}`,
      ...(console !== undefined && { [consoleHeader]: console }),
      ...(origin !== undefined && { origin }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

/** The operations each role may perform; an operator may perform all. */
const expected: Readonly<Record<"billing" | "keys" | "read-only", readonly string[]>> = {
  billing: [
    "accounts.create",
    "accounts.list",
    "accounts.get",
    "accounts.update",
    "accounts.top_up",
    "accounts.ledger",
    "accounts.holds",
    "accounts.forecast",
    "accounts.message_budgets",
    "accounts.invoices",
    "accounts.invoice",
    "models.get",
    "models.list",
    "reconciliations.list",
    "prices.review",
    "usage.list",
    "usage.series",
    "usage.events",
    "usage.receipt",
    "usage.export",
    "keys.use",
    "refusals.list",
    "refusals.series",
    "ledger.read",
    "ledger.repair",
    "budgets.create",
    "budgets.list",
    "budgets.get",
    "budgets.end_users",
    "budgets.update",
    "budgets.delete",
    "envelopes.list",
    "envelopes.get",
    "envelopes.close",
    "alerts.create",
    "alerts.list",
    "alerts.update",
    "alerts.delete",
    "alerts.test",
  ],
  keys: [
    "accounts.list",
    "accounts.get",
    "accounts.message_budgets",
    "keys.create",
    "keys.list",
    "keys.get",
    "keys.use",
    "keys.update",
    "keys.revoke",
    "keys.regenerate",
    "models.get",
    "models.list",
    "usage.list",
    "usage.series",
    "usage.events",
    "usage.receipt",
    "refusals.list",
    "refusals.series",
    "budgets.create",
    "budgets.list",
    "budgets.get",
    "budgets.end_users",
    "budgets.update",
    "budgets.delete",
    "envelopes.list",
    "envelopes.get",
    "envelopes.close",
    "alerts.create",
    "alerts.list",
    "alerts.update",
    "alerts.delete",
    "alerts.test",
    "webhooks.secrets.create",
    "webhooks.secrets.list",
    "webhooks.secrets.end",
    "webhooks.deliveries.list",
    "webhooks.deliveries.get",
    "webhooks.deliveries.replay",
  ],
  "read-only": adminRoutes
    .filter(({ method }) => method === "GET")
    .map(({ operation }) => operation.replace("admin.", "")),
};

for (const [name, role] of Object.entries(roleNames)) {
  test(`an admin token with the role ${name} may call that role's operations only`, async () => {
    const token = `token-of-the-role-${name}-0123456789`;
    fake.addToken(token, { role });
    const allowed: string[] = [];
    for (const { method, path, operation } of adminRoutes) {
      const { status } = await call(
        method,
        path.replace("/admin/v1", "").replace(":id", "acme").replace(":month", "2027-01"),
        { token },
      );
      assert.ok(status < 500 || status === 503, `${operation}: ${status}`);
      if (status !== 403) allowed.push(operation.replace("admin.", ""));
    }
    const all = adminRoutes.map(({ operation }) => operation.replace("admin.", ""));
    assert.deepEqual(allowed.sort(), [...(name === "operator" ? all : expected[name as "keys"])].sort());
  });
}

test("an unknown role has no permissions", async () => {
  fake.addToken("token-of-no-role-0123456789", { role: 0 });
  assert.equal((await call("GET", "/keys", { token: "token-of-no-role-0123456789" })).status, 403);
});

test("an account's token reaches that account and never another, on every path", async () => {
  const token = "token-of-one-account-0123456789";
  fake.addToken(token, { accountId: "acme" });
  const rows: [string, string, unknown, number][] = [
    ["GET", "/accounts/acme", undefined, 200],
    ["GET", "/accounts/other", undefined, 404],
    ["GET", "/accounts", undefined, 403],
    ["POST", "/accounts", { name: "x" }, 403],
    ["POST", "/accounts/other/top-ups", { amount_usd: "1", reference: "r" }, 404],
    ["POST", "/accounts/acme/top-ups", { amount_usd: "1", reference: "r" }, 201],
    ["GET", "/keys", undefined, 200],
    ["GET", "/keys?account=acme", undefined, 200],
    ["GET", "/keys?account=other", undefined, 403],
    ["GET", "/keys?account=acme&account=other", undefined, 403],
    ["POST", "/keys", { account_id: "acme" }, 201],
    ["POST", "/keys", { account_id: "other" }, 403],
    ["POST", "/keys", {}, 201],
    ["POST", "/keys", 5, 400],
    ["POST", "/keys", [{ account_id: "other" }], 400],
    ["GET", "/keys/key_1", undefined, 200],
    ["DELETE", "/keys/key_other", undefined, 404],
    ["PATCH", "/keys/key_other", { rpm_limit: 1 }, 404],
    ["POST", "/keys/key_other/regenerate", {}, 404],
    ["GET", "/usage?account=other", undefined, 403],
    ["GET", "/usage/series", undefined, 200],
    ["GET", "/usage/series?account=other", undefined, 403],
    ["GET", "/usage/events/r1", undefined, 200],
    ["GET", "/usage/events/r_other", undefined, 404],
    ["GET", "/accounts/acme/holds", undefined, 200],
    ["GET", "/accounts/other/holds", undefined, 404],
    ["GET", "/accounts/other/forecast", undefined, 404],
    ["GET", "/accounts/other/message-budgets", undefined, 404],
    ["GET", "/accounts/other/invoices", undefined, 404],
    ["GET", "/accounts/other/invoices/2027-01", undefined, 404],
    ["GET", "/usage/export?account=other", undefined, 403],
    ["GET", "/ledger?request_id=r1", undefined, 200],
    ["GET", "/ledger?account=other", undefined, 403],
    ["GET", "/audit-log?account=other", undefined, 403],
    ["POST", "/ledger/repair", { all: true }, 403],
    ["GET", "/alerts", undefined, 200],
    ["GET", "/alerts?account=other", undefined, 403],
    ["POST", "/alerts", { account_id: "other", monthly_usd: "1" }, 403],
    ["GET", "/budgets/bud_other", undefined, 404],
    ["GET", "/budgets/bud_other/end-users", undefined, 404],
    ["PATCH", "/budgets/bud_other", { max_budget: "1" }, 404],
    ["DELETE", "/budgets/bud_other", undefined, 404],
    ["GET", "/envelopes/env_other", undefined, 404],
    ["POST", "/envelopes/env_other/close", undefined, 404],
    ["POST", "/budgets", { account_id: "other", name: "b", max_budget: "1" }, 403],
    ["POST", "/alerts", { account_id: "acme", key_id: "key_other", monthly_usd: "1" }, 404],
    ["PATCH", "/alerts/alert_other", { name: "x" }, 404],
    ["DELETE", "/alerts/alert_other", undefined, 404],
    ["POST", "/alerts/alert_other/test", undefined, 404],
    ["DELETE", "/alerts/alert_1", undefined, 200],
    ["GET", "/models", undefined, 200],
    ["GET", "/fleet", undefined, 403],
    ["GET", "/tokens", undefined, 403],
    ["POST", "/tokens", { name: "x" }, 403],
    ["DELETE", "/tokens/admtok_1", undefined, 403],
  ];
  for (const [method, path, body, status] of rows) {
    const response = await call(method, path, { token, body });
    assert.equal(response.status, status, `${method} ${path}: ${await response.text()}`);
  }
  const about = JSON.stringify(fake.received, (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
  assert.ok(!about.includes("other") || !/"accountId":"other"/.test(about), about);
  const listed = fake.received.filter(({ method }) => ["listKeys", "listEntries", "queryUsage"].includes(method));
  assert.ok(listed.every(({ request }) => JSON.stringify(request).includes("acme")));
});

test("a token is created with a role, an account and an expiry", async () => {
  const body = { name: "ci", role: "read-only", account_id: "acme", expires: "30d" };
  assert.equal((await call("POST", "/tokens", { body })).status, 201);
  const made = fake.received.at(-1)?.request as { role: number; accountId: string; expiresAtMs: bigint };
  assert.deepEqual([made.role, made.accountId], [roleNames["read-only"], "acme"]);
  assert.ok(Math.abs(Number(made.expiresAtMs) - Date.now() - 30 * 86_400_000) < 60_000);
  assert.equal((await call("POST", "/tokens", { body: { name: "ci", role: "root" } })).status, 400);
});

test("failed logins and exports are recorded with the actor and the address that the proxy saw", async () => {
  assert.equal((await call("GET", "/keys", { token: "some-token-that-is-none-0123", from: "192.0.2.44" })).status, 401);
  await waitFor(() => fake.received.some(({ method }) => method === "recordAction"));
  const failed = fake.received[0]?.request as { action: string; targetId: string; actor: { clientAddress: string } };
  assert.deepEqual([failed.action, failed.targetId], ["admin.login_failed", "192.0.2.44"]);
  assert.equal((await call("GET", "/usage/export?account=acme", { from: "192.0.2.45" })).status, 200);
  const exported = fake.received.find(({ request }) => (request as { action?: string }).action === "usage.export");
  const {
    actor,
    accountId,
    after: requested,
  } = (exported?.request ?? {}) as {
    actor: { id: string; clientAddress: string };
    accountId: string;
    after: string;
  };
  assert.deepEqual([actor.id, actor.clientAddress, accountId], ["admtok_1", "192.0.2.45", "acme"]);
  assert.equal(JSON.parse(requested).format, "ndjson");
});

test("guessing admin tokens causes few lookups, and a valid token still works from that address", async () => {
  const from = "192.0.2.99";
  assert.equal((await call("GET", "/keys", { from })).status, 200);
  const before = fake.logins;
  const startedAt = performance.now();
  let limited = 0;
  for (let i = 0; i < 200; i++) {
    const response = await call("GET", "/keys", { token: `an-invented-admin-token-${i}`, from });
    if (response.status !== 429) continue;
    limited++;
    assert.ok(Number(response.headers.get("retry-after")) >= 1);
  }
  // Ten are let off, and one more every two seconds.
  const free = 15 + (performance.now() - startedAt) / 2_000;
  assert.ok(limited >= 200 - free, `${limited} of 200 got 429`);
  assert.ok(fake.logins - before <= free, `${fake.logins - before} look-ups`);
  assert.equal((await call("GET", "/keys", { from })).status, 200);
  assert.equal((await call("GET", "/keys", { token: "another-wrong-token-0123456789" })).status, 401);
  const rows = fake.received.filter(({ method }) => method === "recordAction").length;
  assert.ok(rows <= 61, `${rows} rows`);
});

test("the operators' port serves the admin API, health and metrics; the public port only if configured", async () => {
  const at = (port: number, path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${path}`, init);
  const headers = { authorization: `Bearer ${adminToken}` };
  const { adminPort, port } = stage.gateway;
  assert.equal((await at(adminPort, "/admin/v1/keys", { headers })).status, 200);
  assert.equal((await at(port, "/admin/v1/keys", { headers })).status, 200);
  assert.equal((await at(adminPort, "/health/ready")).status, 200);
  assert.match(await (await at(adminPort, "/metrics")).text(), /uag_requests_total/);
  assert.equal((await at(adminPort, "/v1/models", { headers: { authorization: `Bearer ${stage.key}` } })).status, 404);
  await using usual = await startStage({
    BILLING_ADDR: fake.address,
    METERING_ADDR: fake.address,
    ADMIN_ON_PUBLIC_PORT: "",
  });
  assert.equal((await at(usual.gateway.port, "/admin/v1/keys", { headers })).status, 404);
  assert.equal((await at(usual.gateway.adminPort, "/admin/v1/keys", { headers })).status, 200);
});

test("the admin API cannot be used from another origin: it has no CORS headers or preflight", async () => {
  const origin = "https://evil.example";
  for (const port of [stage.gateway.adminPort, stage.gateway.port]) {
    for (const [method, path] of [
      ["OPTIONS", "/admin/v1/keys"],
      ["GET", "/admin/v1/keys"],
      ["GET", "/admin/v1/nothing"],
      ["PUT", "/admin/v1/keys"],
    ] as const) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { origin } });
      const cors = [...response.headers.keys()].filter((name) => name.startsWith("access-control-"));
      assert.deepEqual(cors, [], `${method} ${path}`);
    }
  }
});

test("on the operators' port only the console, with its token, may set the client address", async () => {
  fake.addToken("token-of-one-account-0123456789", { accountId: "acme" });
  for (const [console, expected] of [
    [adminToken, "192.0.2.77"],
    ["", "127.0.0.1"],
    ["a-token-that-nobody-has-made-000", "127.0.0.1"],
    ["token-of-one-account-0123456789", "127.0.0.1"],
  ] as const) {
    fake.received.length = 0;
    const made = await call("POST", "/accounts", { body: { name: "x" }, from: "192.0.2.77", console });
    assert.equal(made.status, 201, console);
    const request = fake.received[0]?.request as { actor: { clientAddress: string } } | undefined;
    assert.equal(request?.actor.clientAddress, expected, console);
  }
});
