import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { generateKey } from "@uag/runtime/api-key";
import { startFakeMetering } from "./support/fake-metering.ts";
import { echo } from "./support/fake-service.ts";
import { rawClient } from "./support/raw-client.ts";
import { type Stage, startStage } from "./support/stage.ts";

let stage: Stage;
let metering: Awaited<ReturnType<typeof startFakeMetering>>;
before(async () => {
  metering = await startFakeMetering();
  stage = await startStage({ METERING_ADDR: metering.address });
});
after(async () => {
  await stage[Symbol.asyncDispose]();
  await metering[Symbol.asyncDispose]();
});
beforeEach(() => {
  stage.service.handler = echo;
  stage.service.seen.length = 0;
});

type Json = Record<string, unknown>;
const json = async (response: Response): Promise<Json> => (await response.json()) as Json;
const errorOf = async (response: Response): Promise<Json> => (await json(response))["error"] as Json;

test("a request reaches its service with its body, and the complete response returns", async () => {
  const response = await stage.chat('{"model":"m","x":1}');
  assert.equal(response.status, 200);
  const body = await json(response);
  assert.equal(body["operation"], "chat.completions");
  assert.equal(body["text"], '{"model":"m","x":1}');
  assert.match(response.headers.get("x-request-id") ?? "", /^req_\w+$/);
  assert.match(response.headers.get("openai-processing-ms") ?? "", /^\d+$/);
  assert.equal(Number(response.headers.get("content-length")), JSON.stringify(body).length);
  assert.equal(response.headers.get("x-powered-by"), null);
});

test("each route reaches its operation with the query string", async () => {
  const rows: [string, string, string][] = [
    ["POST", "/v1/chat/completions", "chat.completions"],
    ["POST", "/v1/messages?beta=true", "messages"],
    ["POST", "/v1/responses/input_tokens", "responses.input_tokens"],
    ["POST", "/v1/messages/count_tokens", "messages.count_tokens"],
    ["GET", "/v1/models?limit=1000", "models.list"],
    ["GET", "/v1/models/some-model", "models.get"],
  ];
  for (const [method, path, operation] of rows) {
    const body = method === "POST" ? { body: "{}" } : {};
    const response = await stage.fetch(path, { method, headers: { "content-type": "application/json" }, ...body });
    const got = await json(response);
    assert.equal(got["operation"], operation);
    assert.equal(got["target"], path);
  }
});

test("credentials are not forwarded, and the client's request id is forwarded next to the gateway's", async () => {
  const response = await stage.fetch("/v1/models", {
    headers: { "x-request-id": "mine-1", "x-api-key": "k", cookie: "a=b", "anthropic-beta": "z", x_request_id: "twin" },
  });
  const headers = (await json(response))["headers"] as string[];
  assert.deepEqual(headers.slice(headers.indexOf("x-client-request-id")).slice(0, 2), [
    "x-client-request-id",
    "mine-1",
  ]);
  assert.ok(headers.includes("anthropic-beta"));
  for (const name of ["authorization", "cookie", "x-api-key", "x_request_id", "host", "x-request-id"])
    assert.ok(!headers.includes(name), name);
  const id = response.headers.get("x-request-id");
  assert.equal(stage.service.seen[0]?.requestId, id);
  assert.notEqual(id, "mine-1");
});

test("without a valid bearer key no request reaches a service", async () => {
  const { key } = stage;
  const rows: [string, Record<string, string>][] = [
    ["none", {}],
    ["other scheme", { authorization: `Basic ${key}` }],
    ["empty", { authorization: "Bearer" }],
    ["empty with space", { authorization: "Bearer  " }],
    ["no scheme", { authorization: key }],
    ["never issued", { authorization: `Bearer ${generateKey()}` }],
    ["quoted", { authorization: `Bearer ${key}' OR 1=1--` }],
    ["object", { authorization: 'Bearer {"$gt":""}' }],
    ["two keys", { authorization: `Bearer ${key}, Bearer ${key}` }],
  ];
  for (const [name, headers] of rows) {
    const response = await stage.fetch("/v1/chat/completions", {
      method: "POST",
      authorization: null,
      headers,
      body: "{",
    });
    assert.equal(response.status, 401, name);
    const error = await errorOf(response);
    assert.equal(error["code"], "invalid_api_key", name);
    assert.match(String(error["message"]), name === "never issued" ? /Incorrect API key/ : /./);
    assert.equal(response.headers.get("x-should-retry"), "false");
  }
  assert.equal((await stage.fetch(`/v1/models?api_key=${key}`, { authorization: null })).status, 401);
  assert.equal(stage.service.seen.length, 0);
});

test("the 404 for a base URL with a missing or duplicate /v1 names the mistake", async () => {
  const hintAt = async (path: string) => {
    const response = await stage.fetch(path, { method: "POST", body: "{}" });
    assert.equal(response.status, 404);
    return String((await errorOf(response))["message"]);
  };
  assert.match(await hintAt("/v1/v1/chat/completions"), /Leave \/v1 out/);
  assert.match(await hintAt("/chat/completions"), /Add \/v1/);
  assert.match(await hintAt("/v1/nothing"), /lists the paths/);
  assert.match(await hintAt("/v1/edits?stream=true"), /does not offer OpenAI's endpoint for text edits/);
});

test("x-api-key alone is refused with the hint to send a bearer token, in the route's error shape", async () => {
  const init = { method: "POST", authorization: null, headers: { "x-api-key": stage.key }, body: "{}" };
  const nested = await errorOf(await stage.fetch("/v1/chat/completions", init));
  assert.match(String(nested["message"]), /Authorization: Bearer/);
  const response = await stage.fetch("/v1/messages", init);
  assert.equal(response.status, 401);
  const native = await json(response);
  assert.equal(native["type"], "error");
  assert.equal((native["error"] as Json)["type"], "authentication_error");
  assert.equal(native["request_id"], response.headers.get("request-id"));
  assert.equal(native["request_id"], response.headers.get("x-request-id"));
});

test("two Authorization headers are rejected; the scheme's case and extra spaces do not matter", async () => {
  using client = await rawClient(stage.gateway.port);
  const head = (lines: string): string => `GET /v1/models HTTP/1.1\r\nhost: a\r\n${lines}\r\n\r\n`;
  client.send(head(`authorization: Bearer ${stage.key}\r\nAuthorization: Bearer ${stage.key}`));
  await client.until("More than one Authorization header");
  for (const scheme of ["bearer ", "BEARER   ", "Bearer  "]) {
    const response = await stage.fetch("/v1/models", { authorization: `${scheme}${stage.key}` });
    assert.equal(response.status, 200, scheme);
  }
});

test("an expired or revoked key is rejected with the reason", async () => {
  const expired = generateKey();
  stage.billing.put(expired, { expiresAtMs: BigInt(Date.now() - 1) });
  const first = await stage.fetch("/v1/models", { authorization: `Bearer ${expired}` });
  assert.equal(first.status, 401);
  assert.match(String((await errorOf(first))["message"]), /expired/);
  const revoked = generateKey();
  stage.billing.put(revoked, {}, true);
  const second = await stage.fetch("/v1/models", { authorization: `Bearer ${revoked}` });
  assert.equal(second.status, 401);
  assert.match(String((await errorOf(second))["message"]), /revoked/);
});

test("an unknown path gets a 404 in the error format of its path prefix, even without a key", async () => {
  for (const path of ["/v1/v1/messages", "/v1/nothing", "/V1/models", "/v1/embeddings"]) {
    const response = await stage.fetch(path, { method: "POST", authorization: null, body: "{}" });
    assert.equal(response.status, 404, path);
    assert.equal((await errorOf(response))["code"], "not_found", path);
    assert.ok(response.headers.get("x-request-id"));
  }
  const doubled = await errorOf(await stage.fetch("/v1/v1/chat/completions", { method: "POST", authorization: null }));
  assert.match(String(doubled["message"]), /base URL/);
  const unknown = await errorOf(await stage.fetch("/v1/edits", { method: "POST", authorization: null }));
  assert.match(String(unknown["message"]), /\/v1\/chat\/completions/);
  const native = await json(await stage.fetch("/v1/messages/batches", { method: "POST", authorization: null }));
  assert.equal((native["error"] as Json)["type"], "not_found_error");
  const undecodable = await stage.fetch("/v1/models/%E0%A4%A");
  assert.equal(undecodable.status, 400);
});

test("a wrong method gets 405 with an allow header", async () => {
  const response = await stage.fetch("/v1/chat/completions", { authorization: null });
  assert.equal(response.status, 405);
  assert.equal(response.headers.get("allow"), "POST, OPTIONS");
  assert.equal((await errorOf(response))["message"], "This method is not allowed on this path. Use POST.");
  const models = await stage.fetch("/v1/models", { method: "DELETE", authorization: null });
  assert.equal(models.headers.get("allow"), "GET, HEAD, OPTIONS");
});

test("a CORS preflight needs no key, and browsers can read the responses", async () => {
  const response = await stage.fetch("/v1/chat/completions", {
    method: "OPTIONS",
    authorization: null,
    headers: { origin: "https://a.example", "access-control-request-headers": "authorization,x-stainless-os" },
  });
  assert.equal(response.status, 204);
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
  assert.equal(response.headers.get("access-control-allow-headers"), "authorization,x-stainless-os");
  const models = await stage.fetch("/v1/models", { headers: { origin: "https://a.example" } });
  assert.equal(models.headers.get("access-control-allow-origin"), "*");
});

test("the root path and the health checks need no key", async () => {
  const rows = ["/", "/api/hello", "/health", "/health/live", "/health/ready"];
  for (const path of rows) {
    for (const method of ["GET", "HEAD"]) {
      const response = await stage.fetch(path, { method, authorization: null });
      assert.equal(response.status, 200, `${method} ${path}`);
      assert.equal((await response.text()) === "", method === "HEAD");
    }
  }
});

test("HEAD on a GET route returns the headers without a body and ignores a request body", async () => {
  const head = await stage.fetch("/v1/models", { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.ok(Number(head.headers.get("content-length")) > 0);
  assert.equal(await head.text(), "");
  using client = await rawClient(stage.gateway.port);
  const get = `GET /v1/models HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${stage.key}\r\n`;
  client.send(`${get}content-length: 9\r\n\r\n{"a":"b"}${get}connection: close\r\n\r\n`);
  const text = await client.untilClosed();
  assert.equal(text.split("HTTP/1.1 200 OK").length, 3);
});

test("the subscription reports US dollars, with and without /v1", async () => {
  for (const path of ["/v1/dashboard/billing/subscription?x[]=1", "/dashboard/billing/subscription"]) {
    const response = await stage.fetch(path);
    assert.equal(response.status, 200);
    assert.deepEqual(await json(response), {
      object: "billing_subscription",
      has_payment_method: true,
      plan: { id: "prepaid", title: "Prepaid" },
      soft_limit_usd: 100.25,
      hard_limit_usd: 100.25,
      system_hard_limit_usd: 100.25,
      access_until: 0,
    });
  }
  assert.equal((await stage.fetch("/dashboard/billing/subscription", { authorization: null })).status, 401);
});

test("usage is the sum of all pages, in cents", async () => {
  const response = await stage.fetch("/v1/dashboard/billing/usage?start_date=2024-10-04&end_date=2024-10-06");
  assert.equal(response.status, 200);
  assert.deepEqual(await json(response), {
    object: "list",
    total_usage: 3.5,
    daily_costs: [
      {
        timestamp: 20_000 * 86_400,
        line_items: [
          { name: "a", cost: 1 },
          { name: "b", cost: 0.5 },
        ],
      },
      { timestamp: 20_001 * 86_400, line_items: [{ name: "a", cost: 2 }] },
    ],
  });
  assert.equal(metering.received[0]?.filter?.accountId, "acc_1");
  assert.equal(metering.received[0]?.filter?.fromMs, BigInt(Date.UTC(2024, 9, 4)));
  const wrong = await stage.fetch("/v1/dashboard/billing/usage?start_date=yesterday");
  assert.equal(wrong.status, 400);
  assert.equal((await errorOf(wrong))["param"], "start_date");
});

test("a service's error passes through unchanged", async () => {
  stage.service.handler = (exchange) =>
    exchange.respond(422, ["content-type", "application/json"], Buffer.from('{"e":1}'));
  const response = await stage.chat("{");
  assert.equal(response.status, 422);
  assert.equal(await response.text(), '{"e":1}');
});

test("a handler that fails before the headers returns a 500", async () => {
  stage.service.handler = (exchange) => exchange.fail("insufficient_balance");
  const reported = await stage.chat();
  assert.equal(reported.status, 402);
  stage.service.handler = () => {
    throw new Error("secret detail");
  };
  const response = await stage.chat();
  assert.equal(response.status, 500);
  assert.doesNotMatch(await response.text(), /secret/);
});

test("a WebSocket handshake on a POST path gets 426, so that Codex continues over HTTP", async () => {
  using client = await rawClient(stage.gateway.port);
  const handshake = "connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13";
  client.send(`GET /v1/responses HTTP/1.1\r\nhost: a\r\n${handshake}\r\nsec-websocket-key: AAAA\r\n\r\n`);
  const text = await client.until("websocket_unsupported");
  assert.match(text, /^HTTP\/1\.1 426 Upgrade Required\r\n/);
  assert.match(text, /\r\nupgrade: HTTP\/1\.1\r\n/);
  client.send(`GET /v1/models HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${stage.key}\r\n\r\n`);
  await client.until("HTTP/1.1 200 OK");
});
