import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { waitFor } from "@uag/harness/testing/wait-for";
import { rawClient } from "./support/raw-client.ts";
import { type Stage, startStage } from "./support/stage.ts";

const seen: { request: IncomingMessage; bytes: number; over: boolean }[] = [];
const behind = createServer((request, response) => {
  const one = { request, bytes: 0, over: false };
  seen.push(one);
  request.on("data", (chunk: Buffer) => {
    one.bytes += chunk.length;
  });
  request.on("close", () => {
    one.over = true;
  });
  response.setHeader("x-request-id", "theirs");
  response.setHeader("x-custom", "kept");
  response.setHeader("set-cookie", "session=1");
  if (request.url === "/mcp/broken") {
    response.write("the first half");
    setTimeout(() => response.destroy(), 50);
    return;
  }
  request.on("end", () => response.end(`${request.method} ${request.url} ${request.headers["x-request-id"]}`));
});
let stage: Stage;
before(async () => {
  await new Promise<void>((resolve) => behind.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(behind.address() as AddressInfo).port}`;
  stage = await startStage({ MCP_URL: url, ASSETS_URL: url, TRUSTED_HOPS: "1", UPLOAD_IDLE_MS: "600" });
});
after(async () => {
  await stage[Symbol.asyncDispose]();
  behind.closeAllConnections();
  behind.close();
});
beforeEach(() => {
  seen.length = 0;
});

test("a proxied request reaches its service with the gateway's request id, and its response returns", async () => {
  const response = await stage.fetch("/mcp/a?b=1", { method: "POST", body: "{}", headers: { "x-request-id": "mine" } });
  const id = response.headers.get("x-request-id");
  assert.match(id ?? "", /^req_/);
  assert.equal(await response.text(), `POST /mcp/a?b=1 ${id}`);
  assert.equal(response.headers.get("x-custom"), "kept");
  assert.equal((await stage.fetch("/mcpx")).status, 404);
  assert.equal((await stage.fetch("/console")).status, 404);
});

test("a response that its service interrupts is interrupted for the client, who does not take it for complete", async () => {
  const response = await stage.fetch("/mcp/broken");
  assert.equal(response.status, 200);
  await assert.rejects(response.text(), /terminated/);
});

test("no path leaves its mount, however it is encoded", async () => {
  for (const path of [
    "/mcp/../admin",
    "/mcp/%2e%2e/admin",
    "/mcp/..%2fadmin",
    "/mcp/%252e%252e/x",
    "/mcp/..\\x",
    "/mcp//x",
  ]) {
    using client = await rawClient(stage.gateway.port);
    client.send(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
    assert.match(await client.until("The path is not valid."), /^HTTP\/1.1 400 /, path);
  }
  assert.equal(seen.length, 0);
});

test("credentials reach only services whose mounts list them, and only the router sets the client address", async () => {
  const headers = {
    cookie: "a=b",
    "x-forwarded-for": "6.6.6.6, 192.0.2.9",
    "x-forwarded-host": "evil",
    "x-real-ip": "6.6.6.6",
  };
  const toMcp = await stage.fetch("/mcp/x", { headers });
  const toAssets = await stage.fetch("/assets/x", { headers });
  const [mcp, assets] = seen.map(({ request }) => request.headers);
  assert.deepEqual([mcp?.["authorization"], mcp?.["cookie"]], [`Bearer ${stage.key}`, undefined]);
  assert.deepEqual([assets?.["authorization"], assets?.["cookie"]], [undefined, undefined]);
  for (const one of [mcp, assets]) {
    assert.equal(one?.["x-forwarded-for"], "192.0.2.9");
    assert.equal(one?.["x-forwarded-host"], `127.0.0.1:${stage.gateway.port}`);
    assert.equal(one?.["x-real-ip"], undefined);
  }
  assert.deepEqual([toMcp.headers.get("set-cookie"), toAssets.headers.get("set-cookie")], [null, null]);
});

test("a body is limited in size, with and without a content length, and in time", async () => {
  assert.equal((await stage.fetch("/assets/x", { method: "POST", body: "x" })).status, 413);
  assert.equal(seen.length, 0);
  using endless = await rawClient(stage.gateway.port);
  endless.send("POST /mcp/x HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
  const piece = "x".repeat(1024 * 1024);
  for (let sent = 0; sent <= 32; sent++) endless.send(`${piece.length.toString(16)}\r\n${piece}\r\n`);
  assert.match(await endless.until("payload_too_large"), /^HTTP\/1.1 413 /);
  await waitFor(() => seen[0]?.over === true);
  using slow = await rawClient(stage.gateway.port);
  slow.send("POST /mcp/x HTTP/1.1\r\nhost: a\r\ncontent-length: 5000\r\n\r\nabc");
  assert.match(await slow.until("request_timeout"), /^HTTP\/1.1 408 /);
  await waitFor(() => seen[1]?.over === true);
});

test("a client that expects 100-continue gets it once the headers are valid", async () => {
  using good = await rawClient(stage.gateway.port);
  good.send("POST /mcp/x HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\nexpect: 100-continue\r\n\r\n");
  await good.until("HTTP/1.1 100 Continue\r\n\r\n");
  good.send("{}");
  await good.until("POST /mcp/x");
  using bad = await rawClient(stage.gateway.port);
  bad.send("POST /assets/x HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\nexpect: 100-continue\r\n\r\n");
  assert.match(await bad.until("payload_too_large"), /^HTTP\/1.1 413 /);
});

test("an unreachable service gets 503", async () => {
  await using alone = await startStage({ MCP_URL: "http://127.0.0.1:1" });
  const away = await alone.fetch("/mcp");
  assert.equal(away.status, 503);
  assert.equal(((await away.json()) as { error: { code: string } }).error.code, "service_unavailable");
});

test("a request whose replica refuses connections goes to another one and fails only if none accepts", async () => {
  const { port } = behind.address() as AddressInfo;
  const gone = createServer().listen(0, "127.0.0.1");
  await once(gone, "listening");
  const { port: closed } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  const [dead, alive] = [closed, port].map((each) => `http://127.0.0.1:${each}`);
  await using two = await startStage({ MCP_URL: `${dead},${alive}`, ASSETS_URL: `${dead}` });
  for (let n = 0; n < 4; n++) {
    const response = await two.fetch("/mcp/a", { method: "POST", body: "all of it" });
    assert.equal(response.status, 200, await response.text());
  }
  assert.deepEqual(
    seen.map(({ bytes }) => bytes),
    Array(4).fill("all of it".length),
  );
  assert.equal((await two.fetch("/assets/a")).status, 503);
});
