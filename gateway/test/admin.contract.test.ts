import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { generateKey } from "@uag/runtime/api-key";
import { adminToken, type FakeAdmin, startFakeAdmin } from "./support/fake-admin.ts";
import { type Stage, startStage } from "./support/stage.ts";

let stage: Stage;
let fake: FakeAdmin;
before(async () => {
  fake = await startFakeAdmin();
  stage = await startStage({ BILLING_ADDR: fake.address, METERING_ADDR: fake.address });
});
after(async () => {
  await stage[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});
beforeEach(() => {
  fake.received.length = 0;
  fake.events = 3;
});

type Json = Record<string, unknown>;

async function admin(method: string, path: string, body?: unknown, authorization = `Bearer ${adminToken}`) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await stage.fetch(`/admin/v1${path}`, {
    method,
    authorization,
    headers: { "content-type": "application/json" },
    ...(body !== undefined && { body: text }),
  });
  return { response, status: response.status, text: await response.text() };
}

test("only an admin token opens the admin API, and it opens nothing else", async () => {
  for (const [token, why] of [
    [`Bearer ${stage.key}`, /needs an admin token, not an API key/],
    [`Bearer ${generateKey()}`, /needs an admin token, not an API key/],
    ["Bearer short", /not valid/],
    ["Bearer another-token-of-good-form-0123", /not valid/],
    ["Basic abc", /No admin token/],
  ] as const) {
    const { status, text } = await admin("GET", "/keys", undefined, token);
    assert.equal(status, 401, token);
    assert.match((JSON.parse(text) as { error: { message: string } }).error.message, why);
  }
  assert.equal((await stage.fetch("/v1/models", { authorization: `Bearer ${adminToken}` })).status, 401);
  assert.deepEqual(
    fake.received.filter(({ method }) => method !== "recordAction"),
    [],
  );
});

test("long listings are compressed for clients that accept it, and responses to changes never are", async () => {
  const read = (headers: Record<string, string>) =>
    stage.fetch("/admin/v1/usage/events?limit=50", { authorization: `Bearer ${adminToken}`, headers });
  const [zipped, plain] = [await read({ "accept-encoding": "gzip" }), await read({ "accept-encoding": "identity" })];
  assert.deepEqual(
    [zipped, plain].map(({ headers }) => [headers.get("content-encoding"), headers.get("vary")]),
    [
      ["gzip", "accept-encoding"],
      [null, "accept-encoding"],
    ],
  );
  const sizes = [zipped, plain].map(({ headers }) => Number(headers.get("content-length")));
  assert.ok((sizes[0] ?? 0) * 5 < (sizes[1] ?? 0), `${sizes}`);
  assert.equal(await zipped.text(), await plain.text());
});

test("without a valid token no part of a request is parsed", async () => {
  for (const headers of [
    { "content-type": "text/plain" },
    { "content-type": `application/json${" ".repeat(15_000)}x` },
    { "content-type": "application/json", "content-encoding": "gzip" },
  ]) {
    const init = {
      method: "POST",
      headers,
      body: "x".repeat(400_000),
      authorization: "Bearer wrong-but-of-good-form-0123",
    };
    assert.equal((await stage.fetch("/admin/v1/keys", init)).status, 401, headers["content-type"].slice(0, 30));
  }
});

test("a wrong path gets 404, a wrong method 405 with allow, and OPTIONS needs no token", async () => {
  assert.equal((await admin("GET", "/nothing")).status, 404);
  const wrong = await admin("PUT", "/keys/key_1");
  assert.equal(wrong.status, 405);
  assert.equal(wrong.response.headers.get("allow"), "GET, PATCH, DELETE, HEAD, OPTIONS");
  const preflight = await stage.fetch("/admin/v1/keys", { method: "OPTIONS", authorization: null });
  assert.equal(preflight.status, 204);
  assert.equal((await admin("GET", "/keys/%24ne")).status, 404);
  assert.equal((await admin("GET", "/accounts/other")).status, 404);
});

test("an invalid request gets a 400 that names the field, before any call", async () => {
  const key = { account_id: "acme" };
  const rows: [string, string, unknown, string | null][] = [
    ["POST", "/keys", { ...key, account_id: 5 }, "account_id"],
    ["POST", "/keys", { ...key, account_id: { $gt: "" } }, "account_id"],
    ["POST", "/keys", { ...key, unknown: 1 }, "unknown"],
    ["POST", "/keys", { ...key, models: ["a", 5] }, "models[1]"],
    ["POST", "/keys", { ...key, models: "a" }, "models"],
    ["POST", "/keys", { ...key, rpm_limit: 0 }, "rpm_limit"],
    ["POST", "/keys", { ...key, rpm_limit: 1.5 }, "rpm_limit"],
    ["POST", "/keys", { ...key, tpm_limit: "60" }, "tpm_limit"],
    ["POST", "/keys", { ...key, max_parallel_requests: 1e15 }, "max_parallel_requests"],
    ["POST", "/keys", { ...key, max_budget: -1 }, "max_budget"],
    ["POST", "/keys", { ...key, max_budget: 1e-10 }, "max_budget"],
    ["POST", "/keys", { ...key, expires: "yesterday" }, "expires"],
    ["POST", "/keys", { ...key, expires: "2001-01-01" }, "expires"],
    ["POST", "/keys", { ...key, expires: "999999999w" }, "expires"],
    ["POST", "/keys", { ...key, metadata: [] }, "metadata"],
    ["POST", "/keys", { ...key, metadata: { a: "x".repeat(9_000) } }, "metadata"],
    ["POST", "/keys", `{"account_id":"acme","metadata":${'{"a":'.repeat(500)}1${"}".repeat(500)}}`, "metadata"],
    ["POST", "/keys", { ...key, key_alias: "x".repeat(201) }, "key_alias"],
    ["POST", "/keys", [], null],
    ["POST", "/keys", "null", null],
    ["PATCH", "/keys/key_1", {}, null],
    ["PATCH", "/keys/key_1", { account_id: "other" }, "account_id"],
    ["POST", "/keys/key_1/regenerate", { overlap_seconds: -1 }, "overlap_seconds"],
    ["POST", "/accounts", { id: "a.b" }, "id"],
    ["POST", "/accounts/acme/top-ups", { amount_usd: 0, reference: "r" }, "amount_usd"],
    ["POST", "/accounts/acme/top-ups", { amount_usd: "1e3", reference: "r" }, "amount_usd"],
    ["POST", "/accounts/acme/top-ups", { amount_usd: 1 }, "reference"],
    ["POST", "/ledger/repair", {}, "request_id"],
    ["POST", "/ledger/repair", { request_id: "r", all: true }, "request_id"],
    ["POST", "/tokens", { name: "" }, "name"],
    ["GET", "/keys?limit=0", undefined, "limit"],
    ["GET", "/keys?limit=1001", undefined, "limit"],
    ["GET", "/keys?limit=1&limit=2", undefined, "limit"],
    ["GET", `/keys?after=${"a".repeat(3_000)}`, undefined, "after"],
    ["GET", "/keys?after=%00", undefined, "after"],
    ["GET", "/keys?__proto__=1", undefined, "__proto__"],
    ["GET", "/keys?include_revoked=yes", undefined, "include_revoked"],
    ["GET", "/usage?from=yesterday", undefined, "from"],
    ["GET", "/usage?bucket=week", undefined, "bucket"],
    ["GET", "/usage?from=2026-02-01&until=2026-01-01", undefined, "until"],
    ["GET", "/usage/export?format=xml", undefined, "format"],
    ["GET", "/ledger", undefined, "account"],
    ["GET", "/audit-log?action=DROP", undefined, "action"],
  ];
  for (const [method, path, body, param] of rows) {
    const { status, text } = await admin(method, path, body);
    const name = `${method} ${path} ${JSON.stringify(body)}`.slice(0, 120);
    assert.equal(status, 400, `${name}: ${text}`);
    assert.equal((JSON.parse(text) as { error: Json }).error["param"], param, name);
  }
  assert.equal((await admin("POST", "/keys", '{"a":')).status, 422);
  assert.equal((await admin("POST", "/keys", `"${"x".repeat(300_000)}"`)).status, 413);
  assert.deepEqual(fake.received, []);
});

test("a budget's limits have the names of a key's, and only those that a change names are set", async () => {
  const none = { requestsPerMinute: 0n, tokensPerMinute: 0n, concurrentRequests: 0n, monthlyBudgetNanoUsd: 0n };
  const created = { account_id: "acme", name: "Team", max_budget: "1", rpm_limit: 60, models: ["gpt-*"] };
  assert.equal((await admin("POST", "/budgets", created)).status, 201);
  assert.equal((await admin("PATCH", "/budgets/bud_1", { tpm_limit: null, max_parallel_requests: 5 })).status, 200);
  assert.equal((await admin("PATCH", "/budgets/bud_1", { models: [] })).status, 200);
  const invalid = await admin("PATCH", "/budgets/bud_1", { rpm_limit: 0 });
  assert.equal((JSON.parse(invalid.text) as { error: Json }).error["param"], "rpm_limit");
  const [create, change, models] = fake.received.map((call) => call.request as Json);
  assert.deepEqual([create?.["limits"], create?.["models"]], [{ ...none, requestsPerMinute: 60n }, ["gpt-*"]]);
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = (change?.["limits"] ?? {}) as Json;
  assert.deepEqual([requestsPerMinute, tokensPerMinute, concurrentRequests], [undefined, 0n, 5n]);
  assert.deepEqual([change?.["models"], models?.["models"]], [undefined, { models: [] }]);
});

test("a key has LiteLLM's field names, null removes a limit, and billing receives the actor", async () => {
  const made = await admin("POST", "/keys", {
    account_id: "acme",
    key_alias: "app",
    models: ["gpt-*"],
    rpm_limit: 60,
    max_budget: 0.1,
    metadata: { a: 1 },
  });
  assert.equal(made.status, 201);
  assert.equal((JSON.parse(made.text) as Json)["key"], "sk-secret");
  const limits = { requestsPerMinute: 60n, tokensPerMinute: 0n, concurrentRequests: 0n };
  const [request] = fake.received.map((call) => call.request as Json);
  assert.deepEqual(request?.["limits"], { ...limits, monthlyBudgetNanoUsd: 100_000_000n });
  assert.equal(request?.["metadata"], '{"a":1}');
  assert.deepEqual(request?.["actor"], {
    id: "admtok_1",
    name: "ci",
    clientAddress: "127.0.0.1",
    requestId: made.response.headers.get("x-request-id"),
  });
  await admin("PATCH", "/keys/key_1", { rpm_limit: null, expires: null });
  await admin("POST", "/keys/key_1/regenerate");
  const [, change, renewal] = fake.received.map((call) => call.request as Json);
  assert.deepEqual(change?.["fields"], ["expires_at_ms", "limits.requests_per_minute"]);
  assert.equal(renewal?.["overlapMs"], 0n);
});

test("amounts are exact to the nano-dollar, as text and as integers", async () => {
  const { text } = await admin("GET", "/accounts");
  assert.match(text, /"available_usd":"9007199.254740993","available_nano_usd":9007199254740993,/);
  assert.match(text, /"has_more":true,"next_cursor":"bmV4dA"/);
  await admin("POST", "/accounts/acme/top-ups", { amount_usd: "-0.000000001", reference: "r" });
  await admin("POST", "/accounts/acme/top-ups", { amount_usd: 1e-7, reference: "r" });
  const amounts = fake.received.slice(1).map(({ request }) => (request as Json)["amountNanoUsd"]);
  assert.deepEqual(amounts, [-1n, 100n]);
});

test("a repair is reported to metering, and a dry run is not", async () => {
  await admin("POST", "/ledger/repair", { all: true, dry_run: true });
  assert.deepEqual(
    fake.received.map(({ method }) => method),
    ["repairUnpriced"],
  );
  const { text } = await admin("POST", "/ledger/repair", { request_id: "r1" });
  assert.match(text, /"status":"repaired","charged_usd":"0.000000001"/);
  assert.equal(fake.received.at(-1)?.method, "applyRepairs");
});

test("an export is complete and resumable at any row; an interrupted one does not look complete", async () => {
  const whole = (await admin("GET", "/usage/export?format=csv")).text.trim().split("\r\n");
  assert.equal(whole.length, 4);
  assert.match(whole[1] ?? "", /^r0,acme,.*"'=a,""b""".*,1$/);
  const rest = (await admin("GET", "/usage/export?format=csv&after=1")).text.trim().split("\r\n");
  assert.deepEqual(rest, whole.slice(2));
  const lines = (await admin("GET", "/usage/export")).text.trim().split("\n");
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as Json)["cursor"]),
    ["1", "2", "3"],
  );
  fake.events = 10;
  await assert.rejects(admin("GET", "/usage/export"));
});

for (const format of ["csv", "ndjson"]) {
  test(`an export as ${format} streams its rows while they are read`, async () => {
    fake.events = 4;
    const gate = Promise.withResolvers<void>();
    fake.exported = gate.promise;
    const url = `http://127.0.0.1:${stage.gateway.adminPort}/admin/v1/usage/export?format=${format}`;
    const { body } = await fetch(url, { headers: { authorization: `Bearer ${adminToken}` } });
    assert.ok(body !== null);
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.includes("r1") && !text.includes("r2")) gate.resolve();
    }
    assert.match(text, /r0[\s\S]*r1[\s\S]*r2[\s\S]*r3/);
  });
}
