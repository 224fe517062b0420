import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { waitFor } from "@uag/harness/testing/wait-for";
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

test("sends exactly the requested bytes", async () => {
  let text = "";
  await using server = await listen((socket, piece) => {
    text += piece;
    socket.write(ok);
  });
  assert.equal(await textOf(await server.call()), "ok");
  const host = `127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const head = `POST /v1/x?y=1 HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\ncontent-type: application/json\r\ncontent-length: 8\r\n\r\n`;
  assert.equal(Buffer.from(text, "latin1").toString(), `${head}{"é":1}`);
  text = "";
  await textOf(await server.call({ method: "GET", headers: [], body: undefined }));
  assert.equal(text, `GET /v1/x?y=1 HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n\r\n`);
});

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

test("sends a body of many megabytes completely and reuses the connection", async () => {
  const body = Buffer.alloc(8_000_000, "0123456789");
  let bytes = 0;
  await using server = await listen((socket, piece, connection) => {
    bytes += piece.length;
    if (bytes < body.length) return;
    bytes = 0;
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n${connection}`);
  });
  for (let i = 0; i < 3; i++) {
    assert.equal(await textOf(await server.call({ body })), "1");
    await aTurn();
  }
});

test("accepts a response that arrives before the request is sent, and does not reuse its connection", async () => {
  const responded = new Set<number>();
  await using server = await listen((socket, _, connection) => {
    if (responded.has(connection)) return;
    responded.add(connection);
    socket.pause();
    socket.write(`HTTP/1.1 413 Too Large\r\ncontent-length: 1\r\n\r\n${connection}`);
  });
  for (const expected of ["1", "2"]) {
    const response = await server.call({ body: Buffer.alloc(20_000_000) });
    assert.deepEqual([response.status, await textOf(response)], [413, expected]);
  }
});

test("does not reuse a connection that received more than one response", async () => {
  await using server = await listen((socket, _, connection) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n${connection}HTTP/1.1 200 OK\r\n`);
  });
  assert.equal(await textOf(await server.call()), "1");
  assert.equal(await textOf(await server.call()), "2");
});

test("closes an idle connection that receives unrequested bytes", async () => {
  await using server = await listen((socket, _, connection) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n${connection}`);
    if (connection === 1) setTimeout(() => socket.write("HTTP/1.1 408 Request Timeout\r\n\r\n"), 30);
  });
  assert.equal(await textOf(await server.call()), "1");
  await waitFor(() => server.open.size === 0, { what: "its end" });
  assert.equal(await textOf(await server.call()), "2");
});

test("does not use a connection that the server closed, or whose keep-alive has expired", async () => {
  await using server = await listen((socket, _, connection) => {
    const keepAlive = connection === 2 ? "keep-alive: timeout=4\r\n" : "";
    socket.write(`HTTP/1.1 200 OK\r\n${keepAlive}content-length: 1\r\n\r\n${connection}`);
    if (connection === 1) setTimeout(() => socket.end(), 20);
  });
  assert.equal(await textOf(await server.call()), "1");
  await waitFor(() => server.open.size === 0, { what: "its end" });
  assert.equal(await textOf(await server.call()), "2");
  await aTurn();
  assert.equal(await textOf(await server.call()), "2");
  await waitFor(() => server.open.size === 0, { what: "the end of its keep-alive" });
  assert.equal(await textOf(await server.call()), "3");
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

test("a hundred concurrent calls use a connection each, and the next hundred reuse them", async () => {
  await using server = await listen((socket, _, connection) => {
    setTimeout(
      () => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${String(connection).length}\r\n\r\n${connection}`),
      20,
    );
  });
  for (let round = 0; round < 3; round++) {
    const responses = await Promise.all(Array.from({ length: 100 }, async () => textOf(await server.call())));
    assert.deepEqual(new Set(responses).size, 100);
    assert.ok(responses.every((connection) => Number(connection) <= 100));
    await aTurn();
  }
});

test("keeps the chunks of concurrent streams apart", async () => {
  await using server = await listen((socket, text) => {
    const name = /x-name: (\w+)/.exec(text)?.[1] ?? "";
    const piece = name.repeat(50);
    let left = 40;
    socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    const timer = setInterval(() => {
      if (left-- > 0) socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
      else {
        clearInterval(timer);
        socket.write("0\r\n\r\n");
      }
    }, 2);
  });
  const names = Array.from({ length: 60 }, (_, i) => `n${i}`);
  const streams = names.map(async (name) => {
    const response = await server.call({ headers: ["x-name", name] });
    const pieces: Buffer[] = [];
    await new Promise<void>((end, error) => response.consume({ data: (piece) => void pieces.push(piece), end, error }));
    // Read only now: buffers already handed out must not change when the next piece arrives.
    assert.equal(Buffer.concat(pieces).toString(), name.repeat(2_000));
  });
  await Promise.all(streams);
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
