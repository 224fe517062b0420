import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { pollsWithin, waitFor } from "@uag/harness/testing/wait-for";
import { generateKey } from "@uag/runtime/api-key";
import { echo } from "./support/fake-service.ts";
import { rawClient } from "./support/raw-client.ts";
import { type Stage, startStage } from "./support/stage.ts";

let stage: Stage;
const limit = 1024 * 1024;
before(async () => {
  stage = await startStage({ JSON_BODY_LIMIT: String(limit), UPLOAD_IDLE_MS: "600", UPLOAD_MIN_RATE: "10000" });
});
after(() => stage[Symbol.asyncDispose]());
beforeEach(() => {
  stage.service.handler = echo;
  stage.service.seen.length = 0;
});

const head = (...lines: string[]): string =>
  ["POST /v1/chat/completions HTTP/1.1", "host: a", `authorization: Bearer ${stage.key}`, ...lines, "", ""].join(
    "\r\n",
  );

test("a body of many frames arrives whole", async () => {
  const response = await stage.chat("x".repeat(limit));
  assert.equal(((await response.json()) as { bytes: number }).bytes, limit);
});

test("a body with a content length over the limit is rejected before it is read", async () => {
  using client = await rawClient(stage.gateway.port);
  client.send(head(`content-length: ${limit + 1}`));
  const text = await client.until('"code":"payload_too_large"');
  assert.match(text, /^HTTP\/1.1 413 /);
  assert.match(text, /x-should-retry: false/);
  assert.equal(stage.service.seen.length, 0);
});

test("a client that writes its whole body before it reads still receives the 413", async () => {
  const response = await stage.chat("x".repeat(3 * limit));
  assert.equal(response.status, 413);
});

test("a chunked body over the limit is aborted together with its exchange", async () => {
  stage.service.handler = async (exchange) => {
    for await (const _ of exchange.body());
  };
  using client = await rawClient(stage.gateway.port);
  client.send(head("transfer-encoding: chunked"));
  const piece = "x".repeat(128 * 1024);
  for (let sent = 0; sent <= limit; sent += piece.length) client.send(`${piece.length.toString(16)}\r\n${piece}\r\n`);
  assert.match(await client.until('"code":"payload_too_large"'), /^HTTP\/1.1 413 /);
  client.send("0\r\n\r\n");
  await client.untilClosed();
  await waitFor(() => stage.service.seen[0]?.over === true);
});

test("no content type, however long, blocks the event loop", async () => {
  for (const type of [`application/json${" ".repeat(15_000)}x`, `application/json;${" ; ".repeat(5_000)}x`]) {
    await stage.fetch("/v1/chat/completions", {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: "{}",
    });
    const busyMs = process.cpuUsage();
    const response = await stage.fetch("/v1/chat/completions", {
      method: "POST",
      headers: { "content-type": type },
      body: "{}",
    });
    assert.equal(response.status, 415);
    assert.ok(process.cpuUsage(busyMs).user / 1_000 < 80, "the event loop was busy for long");
  }
});

test("100-continue is sent only for valid headers", async () => {
  using good = await rawClient(stage.gateway.port);
  good.send(head("content-length: 2", "expect: 100-continue"));
  await good.until("HTTP/1.1 100 Continue\r\n\r\n");
  good.send("{}");
  await good.until('"bytes":2');
  using bad = await rawClient(stage.gateway.port);
  bad.send(head(`content-length: ${limit + 1}`, "expect: 100-continue"));
  assert.match(await bad.untilClosed(), /^HTTP\/1.1 413 /);
});

test("JSON paths accept only JSON in UTF-8; a missing content type counts as JSON", async () => {
  const rows: [string, number][] = [
    ["application/json", 200],
    ["application/json; charset=utf-8", 200],
    ['application/json;charset="UTF-8"', 200],
    ["application/vnd.api+json", 200],
    ["application/json; charset=latin1", 415],
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
    ["multipart/form-data; boundary=x", 415],
    ["text/plain; application/json", 415],
  ];
  for (const [type, status] of rows) {
    const init = { method: "POST", headers: { "content-type": type }, body: "{}" };
    assert.equal((await stage.fetch("/v1/chat/completions", init)).status, status, type);
  }
  using client = await rawClient(stage.gateway.port);
  client.send(`${head("content-length: 2")}{}`);
  await client.until('"bytes":2');
});

test("a compressed body is rejected without decompression", async () => {
  for (const encoding of ["gzip", "br", "deflate", "gzip, gzip"]) {
    const headers = { "content-type": "application/json", "content-encoding": encoding };
    const response = await stage.fetch("/v1/chat/completions", { method: "POST", headers, body: "{}" });
    assert.equal(response.status, 415, encoding);
  }
  assert.equal(stage.service.seen.length, 0);
});

test("headers over the size or count limit get 431", async () => {
  const wide = await rawClient(stage.gateway.port);
  wide.send(head(`x-wide: ${"x".repeat(20 * 1024)}`, "content-length: 0"));
  const text = await wide.untilClosed();
  assert.match(text, /^HTTP\/1.1 431 /);
  assert.match(text, /"code":"headers_too_large"/);
  assert.match(text, /x-request-id: req_/);
  for (const count of [250, 5_000]) {
    using many = await rawClient(stage.gateway.port);
    many.send(head(...Array.from({ length: count }, () => "x:"), "content-length: 0"));
    assert.match(await many.until("headers_too_large"), /^HTTP\/1.1 431 /);
  }
  const longKey = await stage.fetch("/v1/models", { authorization: `Bearer ${"k".repeat(100 * 1024)}` });
  assert.equal(longKey.status, 431);
});

test("input that is not HTTP gets a 400 and a closed connection", async () => {
  using client = await rawClient(stage.gateway.port);
  client.send("hello there\r\n\r\n");
  const text = await client.untilClosed();
  assert.match(text, /^HTTP\/1.1 400 /);
  assert.match(text, /"type":"invalid_request_error"/);
});

test("a header value with a control character never reaches a service", async () => {
  using client = await rawClient(stage.gateway.port);
  client.send(head("x-a: b\u0000c", "content-length: 0"));
  assert.match(await client.untilClosed(), /^HTTP\/1.1 400 /);
  assert.equal(stage.service.seen.length, 0);
});

test("a stalled body is aborted at the client and at the service", async () => {
  stage.service.handler = async (exchange) => {
    for await (const _ of exchange.body());
  };
  using client = await rawClient(stage.gateway.port);
  client.send(`${head("content-length: 1000")}{`);
  assert.match(await client.until('"code":"request_timeout"'), /^HTTP\/1.1 408 /);
  await waitFor(() => stage.service.seen[0]?.over === true);
});

test("a body below the minimum rate is aborted even if it never stops", async () => {
  stage.service.handler = async (exchange) => {
    for await (const _ of exchange.body());
  };
  using client = await rawClient(stage.gateway.port);
  client.send(head("content-length: 1000000"));
  const drops = setInterval(() => client.send("x".repeat(400)), 50);
  try {
    assert.match(await client.until('"code":"request_timeout"'), /^HTTP\/1.1 408 /);
  } finally {
    clearInterval(drops);
  }
  await waitFor(() => stage.service.seen[0]?.over === true);
});

test("a key's open requests are limited, counted from their headers, without affecting other keys", async () => {
  await using few = await startStage({ MAX_OPEN_PER_KEY: "3" });
  few.service.handler = echo;
  const begun = await Promise.all(Array.from({ length: 3 }, () => rawClient(few.gateway.port)));
  const start = ["POST /v1/chat/completions HTTP/1.1", "host: a", `authorization: Bearer ${few.key}`];
  for (const client of begun) client.send([...start, "content-length: 10", "", "{"].join("\r\n"));
  await waitFor(() => few.service.seen.length === 3);
  const refused = await few.chat();
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get("retry-after"), "1");
  assert.equal(((await refused.json()) as { error: { code: string } }).error.code, "too_many_open_requests");
  const other = generateKey();
  few.billing.put(other, { keyId: "another" });
  assert.equal((await few.fetch("/v1/models", { authorization: `Bearer ${other}` })).status, 200);
  begun[0]?.[Symbol.dispose]();
  begun[1]?.send("x".repeat(9));
  await begun[1]?.until('"bytes":10');
  await waitFor(async () => (await Promise.all([few.chat(), few.chat()])).every(({ status }) => status === 200));
  for (const client of begun) client[Symbol.dispose]();
});

test("a slow upload that keeps moving is not given up", async () => {
  // A machine that stands still for two seconds has not let the client stop.
  await using patient = await startStage({ UPLOAD_IDLE_MS: "2500", UPLOAD_MIN_RATE: "1000" });
  using client = await rawClient(patient.gateway.port);
  const start = ["POST /v1/chat/completions HTTP/1.1", "host: a", `authorization: Bearer ${patient.key}`];
  client.send([...start, `content-length: ${12 * 2_000}`, "", ""].join("\r\n"));
  for (let i = 0; i < 12; i++) {
    client.send("x".repeat(2_000));
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  await client.until('"bytes":24000');
});

test("a service that does not read the body applies backpressure, and memory stays bounded", async () => {
  const big = await startStage({ JSON_BODY_LIMIT: String(32 * limit) });
  try {
    big.service.handler = () => new Promise(() => undefined);
    using client = await rawClient(big.gateway.port);
    client.send(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${big.key}\r\ncontent-length: ${32 * limit}\r\n\r\n`,
    );
    const piece = Buffer.alloc(limit, "x");
    for (let i = 0; i < 31; i++) client.socket.write(piece);
    await waitFor(() => big.service.seen.length === 1);
    let before = -1;
    await waitFor(async () => {
      const now = client.socket.bytesWritten - client.socket.writableLength;
      const stalled = now === before;
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return stalled;
    });
    // The kernel's socket buffers take a few MiB at most; the router itself keeps less than half a
    // MiB.
    assert.ok(client.socket.writableLength > 20 * limit, `${client.socket.writableLength} bytes left`);
  } finally {
    await big[Symbol.asyncDispose]();
  }
});

test("pipelined requests get their responses in order", async () => {
  stage.service.handler = async (exchange) => {
    const text = (await exchange.readBody({ maxBytes: limit })).toString();
    if (text === "{1}") await new Promise((resolve) => setTimeout(resolve, 100));
    exchange.respond(200, ["content-type", "application/json"], Buffer.from(`response ${text}`));
  };
  using client = await rawClient(stage.gateway.port);
  client.send([1, 2, 3].map((n) => `${head("content-length: 3")}{${n}}`).join(""));
  const text = await client.until("response {3}");
  assert.ok(text.indexOf("response {1}") < text.indexOf("response {2}"));
});

test("pipelined requests on a closed connection are cancelled, including queued ones", async () => {
  stage.service.handler = () => new Promise(() => undefined);
  const client = await rawClient(stage.gateway.port);
  client.send([1, 2, 3].map((n) => `${head("content-length: 3")}{${n}}`).join(""));
  await waitFor(() => stage.service.seen.length === 3);
  client.socket.destroy();
  await waitFor(() => stage.service.seen.every((exchange) => exchange.over), { maxPolls: pollsWithin(1) });
});

test("a connection stays usable if the service responds before it has read the body", async () => {
  stage.service.handler = (exchange) =>
    exchange.respond(400, ["content-type", "application/json"], Buffer.from('{"early":1}'));
  using client = await rawClient(stage.gateway.port);
  client.send(`${head("content-length: 500000")}${"x".repeat(250_000)}`);
  await client.until('{"early":1}');
  client.send("x".repeat(250_000));
  stage.service.handler = echo;
  client.send(`${head("content-length: 2")}{}`);
  await client.until('"bytes":2');
});

test("a request without a Host header gets a 400 that names it", async () => {
  using client = await rawClient(stage.gateway.port);
  client.send("GET / HTTP/1.1\r\n\r\n");
  assert.match(await client.until("no Host header"), /^HTTP\/1.1 400 /);
});

test("a request with two Host headers is rejected, because services could read either", async () => {
  using client = await rawClient(stage.gateway.port);
  client.send("GET /health/live HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n");
  assert.match(await client.until("more than one Host"), /^HTTP\/1.1 400 /);
});
