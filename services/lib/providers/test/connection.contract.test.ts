import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { UpstreamFailure } from "../src/failure.ts";
import type { HttpRequest, HttpResponse } from "../src/http/call.ts";
import { HttpPools } from "../src/http/pools.ts";
import { failureOf } from "./failure-of.ts";
import { originOf, post } from "./post.ts";

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/** A raw server controlled by the test: `onRequest` is called with each piece that arrives. */
async function listen(
  onRequest: (socket: Socket, text: string, connection: number) => void,
): Promise<
  AsyncDisposable & { call: (more?: Partial<HttpRequest>) => Promise<HttpResponse>; server: Server; open: Set<Socket> }
> {
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    const connection = ++connections;
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    socket.on("error", () => {});
    socket.on("data", (bytes) => onRequest(socket, bytes.toString("latin1"), connection));
  });
  const origin = await originOf(server);
  const pools = new HttpPools();
  return {
    server,
    open,
    call: (more = {}) => call(pools, origin, more),
    async [Symbol.asyncDispose]() {
      await pools[Symbol.asyncDispose]();
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

const call = (pools: HttpPools, origin: string, more: Partial<HttpRequest>): Promise<HttpResponse> =>
  post(pools, origin, { path: "/v1/x?y=1", body: Buffer.from('{"é":1}'), ...more });

/** A connection can be reused from the next turn of the event loop on. */
const aTurn = (): Promise<void> => sleep(5);

const textOf = async (response: HttpResponse): Promise<string> => (await response.read(1e6)).toString();

const kindOf = async (promise: Promise<unknown>): Promise<string> => (await failureOf(promise)).kind;

test("no header or path can smuggle another request", async () => {
  let requests = 0;
  await using server = await listen((socket) => {
    requests++;
    socket.write(ok);
  });
  for (const value of ["a\r\nx: y", "a\nb", "a\0b", "€"]) {
    assert.equal(await kindOf(server.call({ headers: ["x-a", value] })), "operator", JSON.stringify(value));
  }
  assert.equal(await kindOf(server.call({ headers: ["x a", "1"] })), "operator");
  for (const path of ["/a b", "/a\r\nx: y", "/€"]) assert.equal(await kindOf(server.call({ path })), "operator");
  assert.equal(requests, 0);
});

test("a body without a length ends when the connection closes; any other body that is reset is a failure", async () => {
  const framings = ["", "content-length: 100\r\n", "transfer-encoding: chunked\r\n"];
  await using server = await listen((socket, _, connection) => {
    socket.write(`HTTP/1.1 200 OK\r\n${framings[connection - 1]}\r\n${connection === 3 ? "9\r\n" : ""}all of it`);
    setTimeout(() => (connection === 1 ? socket.end() : socket.resetAndDestroy()), 20);
  });
  assert.equal(await textOf(await server.call()), "all of it");
  for (const _ of ["length", "chunks"]) {
    const reset = await failureOf((await server.call()).read(100));
    assert.deepEqual([reset.kind, reset.status], ["transient", 200]);
  }
});

test("a call that is paused when its response ends leaves its connection readable", async () => {
  await using server = await listen((socket, _, connection) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n");
    setTimeout(() => socket.write(String(connection)), 20);
  });
  for (let round = 0; round < 3; round++) {
    const response = await server.call();
    const took = new Promise<string>((resolve, reject) => {
      let text = "";
      response.consume({
        data: (bytes) => {
          response.pause();
          text += bytes.toString();
          setTimeout(() => response.resume(), 20);
        },
        end: () => resolve(text),
        error: reject,
      });
    });
    assert.equal(await took, "1");
    await aTurn();
  }
});

test("a failing sink fails only its own call, once", async () => {
  await using server = await listen((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nabcd"));
  const fault = new Error("a fault of ours");
  const atData = await server.call();
  const failures: UpstreamFailure[] = [];
  atData.consume({
    data: () => {
      throw fault;
    },
    end: () => assert.fail("it has not ended"),
    error: (failure) => void failures.push(failure),
  });
  const atEnd = await server.call();
  await new Promise<void>((resolve) =>
    atEnd.consume({
      data: () => {},
      end: () => {
        throw fault;
      },
      error: (failure) => {
        failures.push(failure);
        resolve();
      },
    }),
  );
  assert.deepEqual(
    failures.map((failure) => failure.cause),
    [fault, fault],
  );
});

test("TLS: verifies the certificate, sends the server name, and a paused stream loses nothing", async () => {
  const pem = readFileSync(new URL("fixtures/localhost.pem", import.meta.url));
  const big = Buffer.alloc(3_000_000, "abcdefgh");
  const names: (string | false | null | undefined)[] = [];
  const server = createHttpsServer({ key: pem, cert: pem }, (request, response) => {
    names.push((request.socket as unknown as { servername?: string | false }).servername);
    response.end(big);
  });
  server.listen(0);
  await once(server, "listening");
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`;
  await using pools = new HttpPools();
  assert.equal(await kindOf(call(pools, origin, {})), "unreachable");
  const usual = getCACertificates("default");
  setDefaultCACertificates([...usual, pem.toString()]);
  try {
    for (let i = 0; i < 2; i++) {
      const response = await call(pools, origin, {});
      response.pause();
      setTimeout(() => response.resume(), 50);
      assert.ok((await response.read(4_000_000)).equals(big));
    }
  } finally {
    setDefaultCACertificates(usual);
    server.closeAllConnections();
    server.close();
  }
  assert.deepEqual(names, ["localhost", "localhost"]);
});
