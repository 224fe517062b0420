import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { after, before, test } from "node:test";
import { parseCatalog } from "@uag/catalog/parse";
import type { Provider } from "@uag/catalog/types";
import type { HttpRequest, HttpResponse } from "../src/http/call.ts";
import { HttpPools } from "../src/http/pools.ts";
import { sendAuthorized } from "../src/identity/authorize.ts";
import { failureOf } from "./failure-of.ts";
import { longTimeouts, originOf } from "./post.ts";

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

let tokens = 0;
let calls = 0;
let revoked = new Set<string>();
const grant: Handle = (_, response) =>
  void response.end(JSON.stringify({ access_token: `token-${++tokens}`, expires_in: 3600, token_type: "Bearer" }));
const accept: Handle = ({ headers }, response) => {
  calls++;
  response.writeHead(revoked.has(headers.authorization ?? "") ? 401 : 200).end(headers.authorization);
};
let handlers: Record<string, Handle> = {};
const server = createServer((request, response) => {
  request.resume().on("end", () => handlers[request.url ?? ""]?.(request, response));
});
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
const resources = new AsyncDisposableStack();
let origin = "";
let pools: HttpPools;

before(async () => {
  origin = await originOf(server);
});
after(async () => {
  await resources.disposeAsync();
  server.closeAllConnections();
  server.close();
});

/** A provider with a service account, and connections that have no token yet. */
function arrange(overrides: Record<string, Handle> = {}, allow = [new URL(origin).host]): Provider {
  [tokens, calls, revoked] = [0, 0, new Set()];
  handlers = { "/token": grant, "/call": accept, ...overrides };
  pools = resources.use(new HttpPools({ allow }));
  const account = { type: "service_account", client_email: "a@p.test", private_key_id: "k1", private_key: pem };
  const yaml = `providers: { v: { protocol: vertex, base_url: "${origin}", api_key: "\${KEY}" } }\nmodels: []`;
  const env = { KEY: JSON.stringify({ ...account, token_uri: `${origin}/token` }) };
  return parseCatalog(yaml, env).providers.get("v") ?? assert.fail();
}

function call(provider: Provider, more: Partial<HttpRequest> = {}): Promise<HttpResponse> {
  const { transport } = provider;
  const body = Buffer.from("{}");
  const request = { origin, path: "/call", method: "POST", headers: [], body, timeouts: longTimeouts } as const;
  return sendAuthorized(pools, provider, { ...request, transport, signal: new AbortController().signal, ...more });
}
const textOf = async (response: Promise<HttpResponse>): Promise<string> =>
  (await (await response).read(1_000)).toString();

test("concurrent calls share one token", async () => {
  const provider = arrange();
  const seen = await Promise.all(Array.from({ length: 20 }, () => textOf(call(provider))));
  assert.deepEqual([new Set(seen), tokens, calls], [new Set(["Bearer token-1"]), 1, 20]);
});

test("calls whose token is rejected are sent once more, with one new token for all", async () => {
  const provider = arrange();
  await textOf(call(provider));
  revoked.add("Bearer token-1");
  const seen = await Promise.all(Array.from({ length: 20 }, () => textOf(call(provider))));
  assert.deepEqual([new Set(seen), tokens, calls], [new Set(["Bearer token-2"]), 2, 41]);
});

test("a call whose new token is rejected as well ends with that response", async () => {
  const provider = arrange({
    "/call": (_, response) => {
      calls++;
      response.writeHead(401).end("no access");
    },
  });
  const response = await call(provider);
  assert.equal(response.status, 401);
  assert.equal((await response.read(100)).toString(), "no access");
  assert.deepEqual([tokens, calls], [2, 2]);
});

test("a client that disconnects while a token is fetched does not end the fetch for the others", async () => {
  const started = Promise.withResolvers<() => void>();
  const provider = arrange({
    "/token": (request, response) => started.resolve(() => grant(request, response)),
  });
  const leaving = new AbortController();
  const left = failureOf(call(provider, { signal: leaving.signal }));
  const stays = textOf(call(provider));
  const finish = await started.promise;
  leaving.abort();
  finish();
  assert.equal((await left).kind, "cancelled");
  assert.equal(await stays, "Bearer token-1");
  assert.deepEqual([tokens, calls], [1, 1]);
});

test("what the authority returns is bounded and checked, and a refusal names the authority", async () => {
  const refusal = { error: "invalid_grant", error_description: "Invalid JWT Signature.\r\nmore" };
  const cases: [status: number, body: string, kind: string, message: RegExp][] = [
    [400, JSON.stringify(refusal), "operator", /^Google refused the credential: Invalid JWT Signature\.$/],
    [401, "<html>", "operator", /^Google refused the credential: status 401$/],
    [429, "{}", "capacity", /status 429/],
    [503, "{}", "transient", /status 503/],
    [302, "{}", "operator", /status 302/],
    [200, "{}", "transient", /sent no token/],
    [200, '{"access_token":"a b","expires_in":1}', "transient", /sent no token/],
    [200, '{"access_token":"a\\r\\nx: y","expires_in":1}', "transient", /sent no token/],
    [200, '{"access_token":"t","expires_in":0}', "transient", /sent no token/],
    [200, `{"access_token":"${"x".repeat(70_000)}","expires_in":1}`, "transient", /./],
  ];
  for (const [status, body, kind, message] of cases) {
    const provider = arrange({ "/token": (_, response) => void response.writeHead(status).end(body) });
    const failure = await failureOf(call(provider));
    assert.equal(failure.kind, kind, `${status} ${body.slice(0, 80)}`);
    assert.match(failure.reported?.message ?? failure.message, message);
    assert.equal(calls, 0, "no call without a token");
  }
});

test("a token URL that is not public is refused without a connection", async () => {
  const provider = arrange({}, []);
  const failure = await failureOf(call(provider));
  assert.equal(failure.kind, "operator");
  assert.match(failure.message, /^calls to http:.* are refused: The URL must begin with https/);
  assert.equal(tokens, 0);
});

test("a call with an API key is sent as it is, also after a 401", async () => {
  const provider = { ...arrange(), apiKey: "k", identity: undefined };
  const response = await call(provider, { headers: ["authorization", "Bearer k"] });
  assert.equal((await response.read(100)).toString(), "Bearer k");
  revoked.add("Bearer k");
  assert.equal((await call(provider, { headers: ["authorization", "Bearer k"] })).status, 401);
  assert.deepEqual([tokens, calls], [0, 2]);
});
