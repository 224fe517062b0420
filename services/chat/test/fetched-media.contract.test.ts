import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { type Backend, startBackend } from "@uag/harness/backend";
import type { OperationsHarness } from "@uag/harness/start-operations";
import { waitFor } from "@uag/harness/testing/wait-for";
import { startUpstream, type TestUpstream } from "@uag/harness/upstream";
import { insecure } from "@uag/runtime/rpc/identity";
import { openFetchPermits } from "@uag/usage/fetches/fetch-permits";
import { sendJson } from "./fixtures.ts";
import { startChat } from "./support.ts";

const mebi = 1024 * 1024;
const pictureBytes = 4 * mebi;
const ownerBytes = 32 * mebi;
const picture = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(pictureBytes - 8)]);
const completion = {
  candidates: [{ content: { role: "model", parts: [{ text: "A cat." }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 },
  totalTokens: 1_234,
};

let upstream: TestUpstream;
let site: Server;
let url = "";
let fetches = 0;
let harness: OperationsHarness;
const resources = new AsyncDisposableStack();

const catalog = (): string => `
providers:
  google: { protocol: gemini, base_url: "${upstream.url}", api_key: k, timeouts: { first_byte: 20s, connect: 5s } }
models:
  - id: gem
    owned_by: google
    created: 2026-01-02
    operations: [chat.completions, messages, responses]
    context_tokens: 1000000
    max_output_tokens: 1000
    input: [text, image]
    price: { input_tokens: 1, output_tokens: 2 }
    upstreams: [{ provider: google }]
`;

before(async () => {
  upstream = resources.use(await startUpstream((_, response) => sendJson(response, 200, completion)));
  site = createServer((request, response) => {
    fetches++;
    response.end(request.url?.startsWith("/small") ? picture.subarray(0, 100) : picture);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  resources.defer(() => void site.close());
  const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  url = `http://${host}`;
  const bufferLimits = { totalBytes: 4 * ownerBytes, ownerBytes };
  harness = resources.use(await startChat({ catalog: catalog(), egressAllow: [host], bufferLimits }));
});
after(() => resources.disposeAsync());
beforeEach(() => {
  fetches = 0;
  upstream.script = (_, response) => sendJson(response, 200, completion);
});

const chatOf = (urls: readonly string[]) => ({
  model: "gem",
  messages: [{ role: "user", content: urls.map((url) => ({ type: "image_url", image_url: { url } })) }],
});
const messagesOf = (urls: readonly string[]) => ({
  model: "gem",
  max_tokens: 10,
  messages: [{ role: "user", content: urls.map((url) => ({ type: "image", source: { type: "url", url } })) }],
});
const responseOf = (urls: readonly string[]) => ({
  model: "gem",
  input: [{ role: "user", content: urls.map((seen) => ({ type: "input_image", image_url: seen })) }],
});
const small = (count: number) => Array.from({ length: count }, (_, n) => `${url}/small/${n}`);

/** A replica of chat whose budget of fetched URLs is that of a billing. */
async function startReplica(backend: Backend): Promise<OperationsHarness & AsyncDisposable> {
  await using starting = new AsyncDisposableStack();
  const fetchBudget = starting.use(openFetchPermits(backend.env["BILLING"] as string, insecure));
  const egressAllow = [new URL(url).host];
  const replica = starting.use(await startChat({ catalog: catalog(), egressAllow, fetchBudget }));
  const running = starting.move();
  return { ...replica, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

test("three replicas of chat fetch exactly as many URLs an hour as an account's budget, also after restarts of all of them", async () => {
  await using backend = await startBackend({ URL_FETCHES_PER_HOUR: "40" });
  const start = () => startReplica(backend);
  {
    await using one = await start();
    await using two = await start();
    await using three = await start();
    const call = (n: number) => {
      const [operation, bodyOf] =
        n % 2 === 0 ? (["chat.completions", chatOf] as const) : (["messages", messagesOf] as const);
      return [one, two, three][n % 3]?.call(operation, bodyOf([`${url}/small/${n}`]));
    };
    const responses = await Promise.all(Array.from({ length: 120 }, (_, n) => call(n)));
    const refused = responses.filter((response) => response?.status !== 200);
    assert.deepEqual([fetches, refused.length], [40, 80]);
    for (const response of refused) {
      assert.equal(response?.status, 429, response?.text);
      assert.match(response?.text ?? "", /budget of 40 fetched URLs per hour/);
      const seconds = Number(response?.header("retry-after"));
      assert.ok(seconds > 0 && seconds <= 90, `${seconds}`);
    }
    assert.equal((await one.call("chat.completions", chatOf(small(1)), { account: "acc_2" })).status, 200);
  }
  await backend.billing.kill();
  await backend.billing.start();
  await using restarted = await start();
  assert.equal((await restarted.call("chat.completions", chatOf(small(1)))).status, 429);
});

test("without billing, URLs are fetched with the permits that are leased, and then a request gets a 503 with retry-after", async () => {
  await using backend = await startBackend({ URL_FETCHES_PER_HOUR: "1000" });
  await using replica = await startReplica(backend);
  const ask = (count: number) => replica.call("chat.completions", chatOf(small(count)));
  // The second lease is for the request's one URL and, as the first was used up, for another.
  for (const _ of [1, 2]) assert.equal((await ask(1)).status, 200);
  await backend.billing.kill();
  assert.equal((await ask(1)).status, 200);
  const refused = await ask(1);
  assert.deepEqual([refused.status, refused.header("retry-after")], [503, "1"], refused.text);
  assert.equal(fetches, 3);
  await backend.billing.start();
  await waitFor(async () => (await ask(1)).status === 200, { what: "permits from billing" });
});

for (const [operation, bodyOf] of [
  ["chat.completions", chatOf],
  ["responses", responseOf],
  ["messages", messagesOf],
  ["messages.count_tokens", messagesOf],
] as const) {
  test(`${operation} refuses 100 URLs with a 400 that states the limit, and accepts 64`, async () => {
    const refused = await harness.call(operation, bodyOf(small(100)));
    assert.equal(refused.status, 400);
    assert.match(refused.text, /content[.[]64.*at most 64 URLs/);
    assert.equal(fetches, 64);
    assert.equal((await harness.call(operation, bodyOf(small(64)))).status, 200);
    assert.equal(fetches, 128);
    await waitFor(() => harness.buffers.held === 0, { what: "all memory to be released" });
  });

  test(`twenty concurrent ${operation} requests hold at most their account's share for fetched images, and other accounts are served`, async () => {
    let max = 0;
    const watch = setInterval(() => {
      max = Math.max(max, harness.buffers.heldBy("greedy"));
    }, 1);
    const refusedBefore = harness.buffers.refused;
    upstream.script = async (_, response) => {
      await waitFor(() => harness.buffers.refused > refusedBefore, { what: "a refusal for lack of memory" });
      sendJson(response, 200, completion);
    };
    const call = (account: string, n: number) => harness.call(operation, bodyOf([`${url}/${n}`]), { account });
    const responses = await Promise.all(Array.from({ length: 20 }, (_, n) => call("greedy", n)));
    clearInterval(watch);
    const statuses = new Set(responses.map(({ status }) => status));
    assert.ok(
      [...statuses].every((status) => status === 200 || status === 503),
      [...statuses].join(),
    );
    assert.ok(statuses.has(503), "twenty do not fit");
    assert.ok(max > 0 && max <= ownerBytes, String(max));
    assert.equal((await call("modest", 0)).status, 200);
    await waitFor(() => harness.buffers.held === 0, { what: "all memory to be released" });
  });
}

test("fetches an image once, however often its upstream call is retried", async () => {
  let calls = 0;
  upstream.script = (_, response) => sendJson(response, ++calls < 3 ? 500 : 200, completion);
  const response = await harness.call("chat.completions", chatOf([`${url}/small`, `${url}/small`]));
  assert.deepEqual([response.status, response.header("x-gateway-attempts"), fetches], [200, "3", 1]);
});

test("limits the total size of one request's images", async () => {
  const bufferLimits = { totalBytes: 512 * mebi, ownerBytes: 512 * mebi };
  const egressAllow = [new URL(url).host];
  await using roomy = await startChat({ catalog: catalog(), egressAllow, bufferLimits });
  const refused = await roomy.call("chat.completions", chatOf(Array.from({ length: 12 }, (_, n) => `${url}/${n}`)));
  assert.equal(refused.status, 400);
  assert.match(refused.text, /40 MiB in total/);
  assert.equal(fetches, 11);
});
