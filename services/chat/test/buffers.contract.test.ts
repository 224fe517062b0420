import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { OperationsHarness } from "@uag/harness/start-operations";
import { waitFor } from "@uag/harness/testing/wait-for";
import { startUpstream, type TestUpstream } from "@uag/harness/upstream";
import type { ResponseStream } from "@uag/link/response-stream";
import { catalogOf, chat, completion, sendJson } from "./fixtures.ts";
import { startChat } from "./support.ts";

const operation = "chat.completions";
const mebi = 1024 * 1024;
const longBytes = 31 * mebi;
const long = ["content-type", "application/json", "content-length", String(longBytes)];

let upstream: TestUpstream;
let harness: OperationsHarness;

before(async () => {
  upstream = await startUpstream((_, response) => sendJson(response, 200, completion));
  harness = await startChat({ catalog: catalogOf(upstream.url, upstream.url) });
});
after(async () => {
  await harness[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

/** Begins a request whose body has this many bytes. */
async function begin(chat: OperationsHarness, headers: string[], bytes: number): Promise<ResponseStream> {
  const stream = chat.begin(operation, { headers, account: "poor" });
  const piece = Buffer.alloc(64 * 1024, " ");
  for (let sent = 0; sent < bytes && !stream.call.over; sent += piece.length) {
    if (!stream.call.writeBody(piece)) await stream.call.bodyDrained();
  }
  return stream;
}

test("twenty slow bodies of 31 MiB hold at most their account's share of memory; the others get a 503 before they are sent", async () => {
  const before = process.memoryUsage.rss();
  const streams = await Promise.all(Array.from({ length: 20 }, () => begin(harness, long, mebi)));
  const refused: ResponseStream[] = [];
  for (const stream of streams) {
    stream.head.then(
      () => refused.push(stream),
      () => {},
    );
  }
  await waitFor(() => refused.length === 16, { what: "sixteen refusals" });
  assert.equal(harness.buffers.held, 4 * longBytes);
  assert.ok(
    process.memoryUsage.rss() - before < 100 * mebi,
    "memory follows the received bytes, not the declared length",
  );
  for (const stream of refused) {
    const { status, headers } = await stream.head;
    assert.equal(status, 503);
    assert.equal(headers[headers.indexOf("retry-after") + 1], "1");
    assert.match(String(await stream.bytes()), /"code":"service_unavailable"/);
  }
  const call = async (account: string) => (await harness.call(operation, chat(), { account })).status;
  assert.equal(await call("another"), 200);
  assert.equal(await call("poor"), 200, "a request within the account's share is served");
  for (const { call } of streams) call.cancel("the client disconnected");
  await waitFor(() => harness.buffers.held === 0, { what: "all memory to be released" });
});

test("accounts for a body without a declared length as it grows, and rejects it at the limit", async () => {
  const bufferLimits = { totalBytes: 4 * mebi, ownerBytes: 2 * mebi };
  await using small = await startChat({ catalog: catalogOf(upstream.url, upstream.url), bufferLimits });
  const stream = await begin(small, ["content-type", "application/json"], 8 * mebi);
  assert.equal((await stream.head).status, 503);
  assert.equal(small.buffers.refused, 1);
  await waitFor(() => small.buffers.held === 0, { what: "all memory to be released" });
});

test("releases a request's memory when it is served, rejected, or its client disconnects midway", async () => {
  const fat = JSON.stringify({ ...chat(), user: "x".repeat(5 * mebi) });
  assert.equal((await harness.call(operation, fat)).status, 200);
  assert.equal((await harness.call(operation, `${fat}}`)).status, 422);
  const unknown = await harness.call(operation, { ...chat(), model: "nobody" });
  assert.equal(unknown.status, 400);
  await waitFor(() => harness.buffers.held === 0, { what: "all memory to be released" });
  const left = await begin(harness, long, mebi);
  await waitFor(() => harness.buffers.held === longBytes, { what: "the body to be held" });
  left.call.cancel("the client disconnected");
  await waitFor(() => harness.buffers.held === 0, { what: "the memory to be released" });
});
