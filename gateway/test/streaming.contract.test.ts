import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { pollsWithin, waitFor } from "@uag/harness/testing/wait-for";
import type { LinkExchange } from "@uag/link/server-exchange";
import { echo } from "./support/fake-service.ts";
import { rawClient } from "./support/raw-client.ts";
import { type Stage, startStage } from "./support/stage.ts";

let stage: Stage;
before(async () => {
  stage = await startStage();
});
after(() => stage[Symbol.asyncDispose]());
beforeEach(() => {
  stage.service.seen.length = 0;
});

const sse = ["content-type", "text/event-stream"];
const request = (path = "/v1/chat/completions"): string =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${stage.key}\r\ncontent-length: 2\r\n\r\n{}`;

/** The latest request's exchange, for the test to respond to. */
async function manual(start: () => void): Promise<LinkExchange> {
  stage.service.handler = (exchange) =>
    new Promise<void>((resolve) => exchange.signal.addEventListener("abort", () => resolve()));
  start();
  await waitFor(() => stage.service.seen.length === 1);
  return stage.service.seen[0] as LinkExchange;
}

test("each chunk is forwarded when it arrives", async () => {
  using client = await rawClient(stage.gateway.port);
  const exchange = await manual(() => client.send(request()));
  exchange.head(200, sse);
  await client.until("content-type: text/event-stream\r\n");
  for (const n of [1, 2, 3]) {
    exchange.write(Buffer.from(`data: ${n}\n\n`));
    await client.until(`data: ${n}\n\n`);
  }
  exchange.end();
  await client.until("\r\n0\r\n\r\n");
});

test("backpressure from a client that does not read reaches its service and no other client", async () => {
  using stalled = await rawClient(stage.gateway.port);
  stalled.socket.pause();
  const exchange = await manual(() => stalled.send(request()));
  exchange.head(200, sse);
  const chunk = Buffer.alloc(64 * 1024, "x");
  const total = 64 * 1024 * 1024;
  let written = 0;
  const rssBefore = process.memoryUsage().rss;
  const writing = (async () => {
    while (written < total && !exchange.over) {
      written += chunk.length;
      if (!exchange.write(chunk)) await exchange.drained();
    }
  })().catch(() => undefined);
  let last = -1;
  await waitFor(async () => {
    const still = written === last;
    last = written;
    await new Promise((resolve) => setTimeout(resolve, 300));
    return still && written === last;
  });
  assert.ok(written < total / 2, `${written} bytes were taken from the service`);
  assert.ok(process.memoryUsage().rss - rssBefore < 64 * 1024 * 1024);
  stage.service.handler = echo;
  assert.equal((await stage.chat()).status, 200);
  stalled.socket.resume();
  await waitFor(() => written >= total);
  exchange.end();
  await writing;
  await stalled.until("\r\n0\r\n\r\n");
});

test("a client disconnect aborts the service's exchange within a second", async () => {
  const client = await rawClient(stage.gateway.port);
  const exchange = await manual(() => client.send(request()));
  exchange.head(200, sse);
  exchange.write(Buffer.from("data: 1\n\n"));
  await client.until("data: 1");
  client.socket.destroy();
  await waitFor(() => exchange.signal.aborted, { maxPolls: pollsWithin(1) });
});

test("a client disconnect before the response aborts the service's exchange", async () => {
  const client = await rawClient(stage.gateway.port);
  const exchange = await manual(() => client.send(request()));
  client.socket.destroy();
  await waitFor(() => exchange.signal.aborted, { maxPolls: pollsWithin(1) });
});

test("an interrupted stream ends with one error event and without its final event", async () => {
  for (const [path, event] of [
    ["/v1/chat/completions", /\n\r\n[0-9a-f]+\r\ndata: \{"error":\{"message":"[^"]+","type":"api_error"/],
    ["/v1/messages", /event: error\ndata: \{"type":"error","error":\{"type":"api_error"/],
  ] as const) {
    stage.service.seen.length = 0;
    using client = await rawClient(stage.gateway.port);
    const exchange = await manual(() => client.send(request(path)));
    exchange.head(200, sse);
    exchange.write(Buffer.from("data: 1\n\n"));
    await client.until("data: 1");
    exchange.fail("internal");
    const text = await client.untilClosed();
    assert.match(text, event);
    assert.ok(!text.endsWith("0\r\n\r\n") && !text.includes("[DONE]"));
  }
});

test("a stream that ended with the service's error event gets no second one", async () => {
  using client = await rawClient(stage.gateway.port);
  const exchange = await manual(() => client.send(request()));
  exchange.head(200, sse);
  exchange.write(Buffer.from('data: {"error":{"code":"upstream_error"}}\n\n'));
  exchange.fail("upstream_error");
  const text = await client.untilClosed();
  assert.equal(text.split("data: ").length, 2);
  assert.match(text, /upstream_error/);
  assert.ok(!text.endsWith("0\r\n\r\n"));
});

test("a response truncated within a line, or without a stream, never looks complete", async () => {
  for (const [headers, part] of [
    [sse, 'data: {"a'],
    [["content-type", "application/json"], '{"a":'],
    [["content-type", "application/json", "content-length", "100"], '{"a":'],
  ] as const) {
    stage.service.seen.length = 0;
    using client = await rawClient(stage.gateway.port);
    const exchange = await manual(() => client.send(request()));
    exchange.head(200, headers);
    exchange.write(Buffer.from(part));
    await client.until(part);
    exchange.fail("internal");
    const text = await client.untilClosed();
    assert.ok(text.endsWith(part) || text.endsWith(`${part}\r\n`), text);
  }
});

test("a service lost before its response is a 500 that states the unknown outcome, then 503", async () => {
  const lost = await startStage();
  try {
    lost.service.handler = () => new Promise(() => undefined);
    const response = lost.chat();
    await waitFor(() => lost.service.seen.length === 1);
    await lost.service.kill();
    const first = await response;
    assert.equal(first.status, 500);
    assert.match(await first.text(), /may have been executed/);
    const second = await lost.chat();
    assert.equal(second.status, 503);
    assert.ok(Number(second.headers.get("retry-after")) >= 1);
    assert.equal(second.headers.get("x-should-retry"), "true");
  } finally {
    await lost[Symbol.asyncDispose]();
  }
});

test("a request over its deadline gets 504", async () => {
  const short = await startStage({ REQUEST_DEADLINE_MS: "300" });
  try {
    short.service.handler = () => new Promise(() => undefined);
    const response = await short.chat();
    assert.equal(response.status, 504);
    await waitFor(() => short.service.seen[0]?.over === true);
  } finally {
    await short[Symbol.asyncDispose]();
  }
});

test("a stream whose service is killed ends with an error event", async () => {
  await using lost = await startStage();
  lost.service.handler = (exchange) => {
    exchange.head(200, sse);
    exchange.write(Buffer.from("data: 1\n\n"));
    return new Promise(() => undefined);
  };
  const response = await lost.chat();
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await lost.service.kill();
  const event = await reader.read();
  assert.match(Buffer.from(event.value ?? []).toString(), /^data: \{"error"/);
  await assert.rejects(reader.read());
});

test("an interrupted response to an HTTP/1.0 client ends with a reset, as a plain close would look complete", async () => {
  using client = await rawClient(stage.gateway.port);
  const exchange = await manual(() => client.send(request().replace("HTTP/1.1", "HTTP/1.0")));
  exchange.head(200, ["content-type", "application/json"]);
  exchange.write(Buffer.from('{"a":'));
  await client.until('{"a":');
  exchange.fail("internal");
  await client.untilClosed();
  assert.equal(client.failure, "ECONNRESET");
});

test("headers that HTTP cannot represent return a 500 and do not crash the router", async () => {
  const heads: [number, string[]][] = [
    [200, ["content-type", "a\nb: c"]],
    [200, ["bad name", "x"]],
    [0, []],
    [1_000, []],
  ];
  for (const [code, headers] of heads) {
    for (const late of [false, true]) {
      stage.service.handler = async (exchange) => {
        exchange.head(code, headers);
        if (late) await new Promise((resolve) => setTimeout(resolve, 30));
        exchange.write(Buffer.from("x"));
        exchange.end();
      };
      const response = await stage.chat();
      assert.equal(response.status, 500, `${code} ${headers}`);
      await response.text();
    }
  }
  stage.service.handler = echo;
  assert.equal((await stage.chat()).status, 200);
});
