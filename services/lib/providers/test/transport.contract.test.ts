import assert from "node:assert/strict";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { rootCertificates } from "node:tls";
import type { Transport } from "@uag/catalog/types";
import { Stopwatch } from "@uag/harness/testing/durations";
import type { HttpRequest } from "../src/http/call.ts";
import { HttpPools } from "../src/http/pools.ts";
import { proxiesOf } from "../src/http/proxies.ts";
import { failureOf } from "./failure-of.ts";
import { longTimeouts, post } from "./post.ts";
import { testTransport } from "./transport.ts";

const servers: Server[] = [];
const sockets = new Set<Socket>();
after(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

async function listening(server: Server, host = "127.0.0.1"): Promise<number> {
  servers.push(server);
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
  });
  server.listen(0, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function call(pools: HttpPools, origin: string, more: Partial<HttpRequest> = {}): Promise<string> {
  const headers = ["authorization", "Bearer key"];
  const response = await post(pools, origin, { path: "/v1/x", headers, ...more });
  return (await response.read(1e6)).toString();
}

const kindOf = async (promise: Promise<unknown>): Promise<string> => (await failureOf(promise)).kind;

/**
 * A typical company proxy: tunnels for https, absolute URLs for http. Records the requests it
 * received.
 */
async function proxy({ password = "" } = {}): Promise<{ url: string; received: string[] }> {
  const received: string[] = [];
  const credentials = `Basic ${Buffer.from(`user:${password}`).toString("base64")}`;
  const allowed = ({ headers }: IncomingMessage): boolean =>
    password === "" || headers["proxy-authorization"] === credentials;
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    if (allowed(request)) response.end(`by proxy, with ${request.headers.authorization}`);
    else response.writeHead(407).end();
  });
  server.on("connect", (request, socket: Socket) => {
    received.push(`CONNECT ${request.url}`);
    if (!allowed(request)) return void socket.end("HTTP/1.1 407 No\r\n\r\n");
    const to = connect(Number(request.url?.split(":")[1]), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(to).pipe(socket);
    });
    socket.on("error", () => to.destroy());
    to.on("error", () => socket.destroy());
    socket.on("close", () => to.destroy());
    return undefined;
  });
  const port = await listening(server);
  const user = password === "" ? "" : `user:${password}@`;
  return { url: `http://${user}127.0.0.1:${port}`, received };
}

const pem = new URL("fixtures/localhost.pem", import.meta.url);

/** Its certificate is its own authority, and it requires a client certificate too. */
async function mutualServer(): Promise<string> {
  const own = readFileSync(pem);
  const options = { key: own, cert: own, ca: own, requestCert: true, rejectUnauthorized: true };
  return `https://localhost:${await listening(createHttpsServer(options, (_, response) => response.end("in")))}`;
}

test("sends https through HTTPS_PROXY and http through HTTP_PROXY, except for hosts in NO_PROXY and this machine", async () => {
  const way = await proxy();
  const env = { HTTPS_PROXY: way.url, HTTP_PROXY: "http://127.0.0.1:1", http_proxy: way.url, NO_PROXY: "direct.test" };
  const lookup = async () => [{ address: "127.0.0.1", family: 4 }];
  await using pools = new HttpPools({ proxies: proxiesOf(env), lookup });
  const port = await listening(createServer((_, response) => response.end("directly")));
  assert.equal(await call(pools, `http://api.test:${port}`), "by proxy, with Bearer key");
  assert.equal(await call(pools, `http://direct.test:${port}`), "directly");
  for (const host of ["127.0.0.1", "localhost"]) assert.equal(await call(pools, `http://${host}:${port}`), "directly");
  const file = pem.pathname;
  const transport = testTransport({ caFile: file, certFile: file, keyFile: file });
  const secure = (await mutualServer()).replace("localhost", "api.test");
  // The tunnel is established, but the certificate behind it is still checked: it is for localhost.
  assert.equal(await kindOf(call(pools, secure, { transport })), "unreachable");
  assert.deepEqual(way.received, [`POST http://api.test:${port}/v1/x`, `CONNECT ${new URL(secure).host}`]);
});

test("a provider's own proxy overrides the environment's, and `none` disables it", async () => {
  const [ours, theirs] = [await proxy(), await proxy({ password: "p@ss" })];
  const port = await listening(createServer((_, response) => response.end("directly")));
  const lookup = async () => [{ address: "127.0.0.1", family: 4 }];
  await using pools = new HttpPools({ proxies: proxiesOf({ HTTP_PROXY: ours.url, HTTPS_PROXY: ours.url }), lookup });
  const through = (more: Partial<Transport>, origin = `http://api.test:${port}`) =>
    call(pools, origin, { transport: testTransport(more) });
  assert.equal(await through({ proxy: "none" }), "directly");
  const own = theirs.url.replace("p@ss", "p%40ss");
  assert.equal(await through({ proxy: own }), "by proxy, with Bearer key");
  const file = pem.pathname;
  const secure = { caFile: file, certFile: file, keyFile: file, proxy: own };
  assert.equal(await through(secure, await mutualServer()), "in");
  assert.deepEqual(ours.received, []);
  assert.equal(theirs.received.length, 2);
});

test("a proxy that refuses, is unreachable or does not respond fails as unreachable within the timeout", async () => {
  const locked = await proxy({ password: "right" });
  const mute = await listening(createServer().on("connect", () => {}) as Server);
  const origin = await mutualServer();
  for (const [url, kinds] of [
    [locked.url.replace("right", "wrong"), ["unreachable"]],
    ["http://127.0.0.1:1", ["unreachable"]],
    [`http://127.0.0.1:${mute}`, ["unreachable"]],
  ] as const) {
    await using pools = new HttpPools();
    using watch = new Stopwatch();
    const transport = testTransport({ proxy: url });
    const kind = await kindOf(call(pools, origin, { transport, timeouts: { ...longTimeouts, connectMs: 300 } }));
    assert.ok((kinds as readonly string[]).includes(kind), `${url}: ${kind}`);
    assert.ok(watch.ms < 5_000, `${watch.ms} ms`);
  }
});

test("rejects a proxy setting that is not a URL at startup, without quoting it", () => {
  for (const text of ["user:secret@proxy:80", "socks5://user:secret@proxy"]) {
    assert.throws(
      () => proxiesOf({ HTTPS_PROXY: text }),
      (error: Error) => /HTTPS_PROXY/.test(error.message) && !error.message.includes("secret"),
    );
  }
});

test("uses a provider's own CA and our client certificate, and reloads them when their files change", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "tls-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const file = join(dir, "own.pem");
  const origin = await mutualServer();
  await using pools = new HttpPools();
  const usual = testTransport();
  assert.equal(await kindOf(call(pools, origin, { transport: usual })), "unreachable");
  const noCertificate = testTransport({ caFile: pem.pathname });
  assert.notEqual(await call(pools, origin, { transport: noCertificate }).catch(() => "refused"), "in");
  const transport = testTransport({ caFile: file, certFile: pem.pathname, keyFile: pem.pathname });
  assert.equal(await kindOf(call(pools, origin, { transport })), "operator");
  writeFileSync(file, rootCertificates[0] as string);
  assert.equal(await kindOf(call(pools, origin, { transport })), "unreachable");
  cpSync(pem, file);
  utimesSync(file, new Date(), new Date(Date.now() + 5_000));
  t.mock.method(performance, "now", () => process.uptime() * 1_000 + 20_000);
  assert.equal(await call(pools, origin, { transport }), "in");
});

test("queues calls above the connection limit in order, and rejects those above the queue limit as busy", async () => {
  let underWay = 0;
  let max = 0;
  const order: string[] = [];
  const port = await listening(
    createServer((request, response) => {
      max = Math.max(max, ++underWay);
      const place = order.push(String(request.headers["x-name"]));
      // They end one at a time: two that end together free two connections, whose order the server cannot know.
      setTimeout(
        () => {
          underWay--;
          response.end("ok");
        },
        50 + 25 * place,
      );
    }),
  );
  await using pools = new HttpPools();
  const transport = testTransport({ maxConnections: 3, maxQueued: 5 });
  const names = Array.from({ length: 12 }, (_, i) => `n${i}`);
  let responses = 0;
  const results = await Promise.all(
    names.map((name) =>
      call(pools, `http://127.0.0.1:${port}`, { transport, headers: ["x-name", name] }).then(
        () => {
          responses++;
          return "ok";
        },
        (failure) => {
          assert.equal(responses, 0, "it fails at once");
          assert.equal(failure.retryAfterMs, 1_000);
          return failure.kind;
        },
      ),
    ),
  );
  assert.deepEqual(results, [...Array(8).fill("ok"), ...Array(4).fill("busy")]);
  assert.deepEqual(order.slice(0, 3).sort(), names.slice(0, 3));
  assert.deepEqual(order.slice(3), names.slice(3, 8));
  assert.equal(max, 3);
});

test("a queued call that is aborted or times out leaves the queue", async () => {
  const port = await listening(createServer((_, response) => void setTimeout(() => response.end("ok"), 2_500)));
  await using pools = new HttpPools();
  const transport = testTransport({ maxConnections: 1, maxQueued: 1 });
  const origin = `http://127.0.0.1:${port}`;
  const hasty = { transport, timeouts: { ...longTimeouts, connectMs: 1_000 } };
  const first = call(pools, origin, hasty);
  const controller = new AbortController();
  const left = kindOf(call(pools, origin, { ...hasty, signal: controller.signal }));
  controller.abort();
  assert.equal(await left, "cancelled");
  assert.equal(await kindOf(call(pools, origin, hasty)), "busy");
  assert.equal(await first, "ok");
  assert.equal(await call(pools, origin, hasty), "ok");
});

test("connects to the address that responds when a name has several", async () => {
  const port = await listening(createServer((_, response) => response.end("here")));
  const found = [
    { address: "::1", family: 6 },
    { address: "127.0.0.2", family: 4 },
    { address: "127.0.0.1", family: 4 },
  ];
  await using pools = new HttpPools({ lookup: async () => found });
  assert.equal(await call(pools, `http://api.test:${port}`), "here");
  const six = await listening(
    createServer((_, response) => response.end("six")),
    "::1",
  ).catch(() => undefined);
  if (six !== undefined) assert.equal(await call(pools, `http://[::1]:${six}`), "six");
});
