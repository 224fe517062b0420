import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { after, before, test } from "node:test";
import type { Timeouts } from "@uag/catalog/types";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import type { UpstreamFailure } from "../src/failure.ts";
import type { HttpResponse } from "../src/http/call.ts";
import { HttpPools } from "../src/http/pools.ts";
import { originOf, post } from "./post.ts";
import { cutAnywhere } from "./random.ts";

const timeouts: Timeouts = { connectMs: 5_000, firstByteMs: 5_000, betweenChunksMs: 5_000, totalMs: 10_000 };
let script: (socket: Socket) => void = () => {};
const open = new Set<Socket>();
const server = createServer((socket) => {
  open.add(socket);
  socket.on("close", () => open.delete(socket));
  socket.on("error", () => {});
  socket.once("data", () => script(socket));
});
let origin = "";

before(async () => {
  origin = await originOf(server);
});
after(() => {
  for (const socket of open) socket.destroy();
  server.close();
});

const call = (pools: HttpPools, more: Partial<Timeouts> = {}): Promise<HttpResponse> =>
  post(pools, origin, { timeouts: { ...timeouts, ...more } });

interface Read {
  readonly status: number;
  readonly body: string;
  readonly failure: UpstreamFailure | undefined;
}

/**
 * Serves the pieces one after another, closes the connection, and returns what a call makes of
 * them.
 */
async function read(pieces: readonly Buffer[], more: Partial<Timeouts> = {}): Promise<Read> {
  script = async (socket) => {
    socket.setNoDelay(true);
    for (const piece of pieces) {
      if (!socket.writable) return;
      socket.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.end();
  };
  await using pools = new HttpPools();
  let body = "";
  let status = 0;
  try {
    const response = await call(pools, more);
    status = response.status;
    await new Promise<void>((end, error) =>
      response.consume({
        data(chunk) {
          body += chunk.toString("latin1");
        },
        end,
        error,
      }),
    );
    return { status, body, failure: undefined };
  } catch (error) {
    return { status, body, failure: error as UpstreamFailure };
  }
}

const head = "HTTP/1.1 200 OK\r\n";

const readText = (text: string): Promise<Read> => read([Buffer.from(text, "latin1")]);

test("rejects an ambiguous response", async () => {
  for (const text of [
    "HTTP/2 200\r\n\r\n",
    "HTTP/1.2 200 OK\r\n\r\n",
    "HTTP/1.1 2000 OK\r\n\r\n",
    "HTTP/1.1 099 OK\r\n\r\n",
    "SSH-2.0-OpenSSH_9.2p1\r\n\r\n",
    "<html>\r\n\r\n",
    " HTTP/1.1 200 OK\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
    `${head}no colon\r\n\r\n`,
    `${head}: no name\r\n\r\n`,
    `${head}spaced : 1\r\n\r\n`,
    `${head}folded: 1\r\n 2\r\n\r\n`,
    `${head}bare: 1\r2\r\n\r\n`,
    `${head}bare: 1\nx: 2\r\n\r\n`,
    `${head}nul: \0\r\n\r\n`,
    `${head}content-length: -1\r\n\r\n`,
    `${head}content-length: +1\r\n\r\nx`,
    `${head}content-length: 0x1\r\n\r\nx`,
    `${head}content-length: 1 1\r\n\r\nx`,
    `${head}content-length:\r\n\r\nx`,
    `${head}content-length: 1\r\ncontent-length: 2\r\n\r\nx`,
    `${head}content-length: 1, 2\r\n\r\nx`,
    `${head}content-length: ${"9".repeat(20)}\r\n\r\nx`,
    `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${head}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    `${head}transfer-encoding: identity\r\n\r\nx`,
    `${head}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n`,
    `${head}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  ]) {
    const got = await readText(text);
    assert.equal(got.failure?.kind, "transient", JSON.stringify(text.slice(0, 80)));
  }
});

test("rejects a chunked response with an invalid frame", async () => {
  for (const body of [
    "\r\n",
    "g\r\n",
    "-1\r\nx\r\n",
    "0x1\r\nx\r\n",
    " 1\r\nx\r\n",
    "1\nx\r\n",
    "1\r\nxy\r\n",
    "1\r\nx\n",
    "1\r\nx\r\r",
    `${"f".repeat(17)}\r\n`,
    "1;a\nb\r\nx",
    "0\r\n\rx",
  ]) {
    const got = await readText(`${head}transfer-encoding: chunked\r\n\r\n${body}`);
    assert.equal(got.failure?.kind, "transient", JSON.stringify(body.slice(0, 40)));
  }
});

test("a response cut off in its head, body or chunk is a failure", async () => {
  for (const text of [
    "",
    `${head}x: 1\r\n`,
    `${head}content-length: 5\r\n\r\nfour`,
    `${head}transfer-encoding: chunked\r\n\r\n4\r\nfour\r\n`,
    `${head}transfer-encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n`,
  ]) {
    assert.equal((await readText(text)).failure?.kind, "transient", JSON.stringify(text));
  }
});

test("rejects an endless head or endless trailers, by bytes or by number of headers", async () => {
  const endless = `${head}transfer-encoding: chunked\r\n\r\n0\r\nx: ${"y".repeat(70_000)}\r\n\r\n`;
  for (const text of [
    `${head}x: ${"y".repeat(70_000)}\r\n\r\n`,
    `${head}${"y".repeat(70_000)}: 1\r\n\r\n`,
    `${head}${Array.from({ length: 300 }, (_, i) => `x${i}: 1\r\n`).join("")}content-length: 0\r\n\r\n`,
    `${head}${"x: 1\r\n".repeat(300)}content-length: 0\r\n\r\n`,
    endless,
  ]) {
    assert.equal((await readText(text)).failure?.kind, "transient", text.slice(0, 60));
  }
});

test("endless hints, chunk extensions and trailers time out like missing bytes", async () => {
  const drips: [start: string, piece: string][] = [
    ["", "HTTP/1.1 103 Early Hints\r\n\r\n"],
    ["HTTP/1.1 200 ", "O"],
    [`${head}transfer-encoding: chunked\r\n\r\n1;`, "a"],
  ];
  for (const [start, piece] of drips) {
    script = (socket) => {
      socket.write(start);
      const drip = setInterval(() => socket.write(piece), 5);
      socket.on("close", () => clearInterval(drip));
    };
    await using pools = new HttpPools();
    const given = call(pools, { firstByteMs: 200, betweenChunksMs: 200 }).then((response) => response.read(1e6));
    await assert.rejects(given, (failure: UpstreamFailure) => failure.kind === "timeout", piece);
  }
});

test("accepts unrequested interim responses such as 100 Continue, however they are split", async () => {
  const interim =
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 100\r\nx: 1\r\n\r\n";
  const body = "HTTP/1.1 100 Continue\r\n\r\n";
  for (let seed = 1; seed <= 40; seed++) {
    const text = `${interim}HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const got = await read(cutAnywhere(Buffer.from(text, "latin1"), seededRandom(seed)));
    assert.deepEqual([got.failure?.message, got.status, got.body], [undefined, 200, body], `seed ${seed}`);
  }
});
