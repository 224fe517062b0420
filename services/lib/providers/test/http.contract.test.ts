import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { after, before, test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { withTraceparent } from "@uag/runtime/tracing/traceparent";
import type { HttpRequest, HttpResponse } from "../src/http/call.ts";
import { HttpPools } from "../src/http/pools.ts";
import { failureOf } from "./failure-of.ts";
import { longTimeouts, originOf, post } from "./post.ts";

type Script = (request: IncomingMessage, response: ServerResponse) => void;
let script: Script = (_, response) => void response.end();
let connections = 0;
const server = createServer((request, response) => script(request, response));
server.on("connection", () => connections++);
const pools = new HttpPools();
let origin = "";

before(async () => {
  origin = await originOf(server);
});
after(async () => {
  await pools[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});

const call = (more: Partial<HttpRequest> = {}): Promise<HttpResponse> => post(pools, origin, { path: "/x", ...more });

test("receives head and body and reuses the connection", async () => {
  script = (_, response) => response.writeHead(201, { "x-one": "1" }).end("hello");
  for (let i = 0; i < 10; i++) {
    const response = await call();
    assert.equal(response.status, 201);
    assert.equal(response.header("x-one"), "1");
    assert.equal((await response.read(100)).toString(), "hello");
  }
  assert.ok(connections <= 2, `${connections} connections`);
});

test("a call within a trace carries its traceparent, and one without carries none", async () => {
  script = ({ headers }, response) => void response.end(String(headers["traceparent"]));
  const seen = async () => (await (await call()).read(100)).toString();
  assert.equal(await withTraceparent("00-a-b-01", seen), "00-a-b-01");
  assert.equal(await seen(), "undefined");
});

test("keeps a body that arrives long before it is read", async () => {
  const big = Buffer.alloc(300_000, 7);
  script = (_, response) => void response.end(big);
  const response = await call();
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok((await response.read(1e6)).equals(big));
});

test("decompresses unrequested compression and does not expand bombs", async () => {
  const encodings: [string, (text: string) => Buffer][] = [
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ];
  for (const [encoding, compress] of encodings) {
    script = (_, response) => response.writeHead(200, { "content-encoding": encoding }).end(compress("hello"));
    assert.equal((await (await call()).read(100)).toString(), "hello");
    const chunks: string[] = [];
    const response = await call();
    await new Promise<void>((end, error) =>
      response.consume({ data: (chunk) => void chunks.push(chunk.toString()), end, error }),
    );
    assert.equal(chunks.join(""), "hello");
    script = (_, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(compress("0".repeat(10_000_000)));
    assert.equal((await failureOf((await call()).read(1_000_000))).kind, "transient");
  }
  script = (_, response) => response.writeHead(200, { "content-encoding": "zstd9" }).end("x");
  assert.equal((await failureOf((await call()).read(100))).kind, "transient");
  const unknown = await call();
  const consumed = new Promise<void>((end, error) => unknown.consume({ data: () => {}, end, error }));
  assert.equal((await failureOf(consumed)).kind, "transient");
});

test("rejects a response that is too long", async () => {
  script = (_, response) => void response.end(Buffer.alloc(1_000_000));
  assert.equal((await failureOf((await call()).read(100_000))).kind, "transient");
});

test("distinguishes a refused connection, a late head, a stalled body and an exceeded total time", async () => {
  const closed = createTcpServer();
  closed.listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo;
  closed.close();
  assert.equal((await failureOf(call({ origin: `http://127.0.0.1:${port}` }))).kind, "unreachable");
  // A server that accepts connections and never responds to the TLS handshake.
  const mute = createTcpServer((socket) => socket.on("error", () => {})).listen(0, "127.0.0.1");
  await once(mute, "listening");
  const muteOrigin = `https://127.0.0.1:${(mute.address() as AddressInfo).port}`;
  const slow = await failureOf(call({ origin: muteOrigin, timeouts: { ...longTimeouts, connectMs: 100 } }));
  assert.ok(["unreachable", "timeout"].includes(slow.kind), slow.kind);
  mute.close();
  script = () => {};
  assert.equal((await failureOf(call({ timeouts: { ...longTimeouts, firstByteMs: 100 } }))).kind, "timeout");
  assert.equal((await failureOf(call({ timeouts: { ...longTimeouts, totalMs: 50 } }))).kind, "timeout");
  script = (_, response) => void response.writeHead(200).write("x");
  const response = await call({ timeouts: { ...longTimeouts, betweenChunksMs: 100 } });
  assert.equal((await failureOf(response.read(100))).kind, "timeout");
});

test("a connection that breaks before or after the head is a transient failure", async () => {
  script = (request) => void request.socket.destroy();
  assert.equal((await failureOf(call())).kind, "transient");
  script = (_, response) => {
    response.writeHead(200, { "content-length": 100 });
    response.write("x", () => response.destroy());
  };
  assert.equal((await failureOf((await call()).read(1_000))).kind, "transient");
});

test("aborting closes the connection immediately at any stage", async () => {
  const controllers = [new AbortController(), new AbortController(), new AbortController()];
  controllers[0]!.abort();
  assert.equal((await failureOf(call({ signal: controllers[0]!.signal }))).kind, "cancelled");
  const { promise: pending, resolve: onRequested } = Promise.withResolvers<void>();
  const { promise: left, resolve: onLeft } = Promise.withResolvers<void>();
  script = (_, response) => {
    response.once("close", onLeft);
    onRequested();
  };
  const waiting = failureOf(call({ signal: controllers[1]!.signal }));
  await pending;
  controllers[1]!.abort();
  assert.equal((await waiting).kind, "cancelled");
  await left;
  const { promise: leftAgain, resolve: onLeftAgain } = Promise.withResolvers<void>();
  script = (_, response) => {
    response.once("close", onLeftAgain);
    response.writeHead(200).write("x");
  };
  const response = await call({ signal: controllers[2]!.signal });
  const reading = failureOf(response.read(100));
  controllers[2]!.abort();
  assert.equal((await reading).kind, "cancelled");
  await leftAgain;
});

test("pausing stops reading, and resuming continues where it stopped", async () => {
  let written = 0;
  script = (_, response) => {
    response.writeHead(200);
    const more = (): void => {
      while (written < 40_000_000) {
        written += 100_000;
        if (!response.write(Buffer.alloc(100_000))) return void response.once("drain", more);
      }
      response.end();
    };
    more();
  };
  const response = await call();
  let bytes = 0;
  let resumed = false;
  await new Promise<void>((end, error) =>
    response.consume({
      data: (chunk) => {
        bytes += chunk.length;
        if (resumed) return;
        response.pause();
        setTimeout(() => {
          assert.ok(bytes < 20_000_000, `${bytes} bytes came while paused`);
          resumed = true;
          response.resume();
        }, 100);
      },
      end,
      error,
    }),
  );
  assert.equal(bytes, 40_000_000);
});
