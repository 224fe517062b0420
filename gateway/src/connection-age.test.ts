import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { after, before, test } from "node:test";
import { limitConnectionAge } from "./connection-age.ts";

const maxAgeMs = 10_000;
const time = { ms: 0, random: 0.5 };
const held: ServerResponse[] = [];
const server = createServer((_request, response) => void held.push(response));
limitConnectionAge(server, {
  maxAgeMs,
  clock: { now: () => time.ms, monotonic: () => time.ms },
  random: () => time.random,
});
before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
after(() => {
  server.closeAllConnections();
  server.close();
});

async function dial() {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await Promise.all([once(socket, "connect"), once(server, "connection")]);
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const until = async (part: string): Promise<void> => {
    while (!text.includes(part)) await once(socket, "data");
  };
  /** Sends a request, and returns its response once the server has the request. */
  const get = async (): Promise<ServerResponse> => {
    socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    await once(server, "request");
    return held.at(-1) as ServerResponse;
  };
  return { socket, until, get, received: () => text };
}

test("a connection that reaches its maximum age during a response closes after the next one", async () => {
  time.ms = 0;
  const { socket, until, get, received } = await dial();
  const young = await get();
  young.write("begun, ");
  time.ms = 5 * maxAgeMs;
  young.end("done");
  await until("done");
  assert.match(received(), /connection: keep-alive/i);
  const old = await get();
  old.write("the last, ");
  old.end("whole");
  await once(socket, "end");
  assert.match(received(), /connection: close[\s\S]*the last, [\s\S]*whole[\s\S]*0\r\n\r\n$/i);
});

test("connections that start together close up to 20% before or after their maximum age", async () => {
  for (const [random, ageMs, connection] of [
    [0, 0.79 * maxAgeMs, "keep-alive"],
    [0, 0.8 * maxAgeMs, "close"],
    [1, 1.19 * maxAgeMs, "keep-alive"],
    [1, 1.21 * maxAgeMs, "close"],
  ] as const) {
    Object.assign(time, { ms: 0, random });
    const { socket, until, get, received } = await dial();
    time.ms = ageMs;
    (await get()).end("done");
    await until("done");
    assert.match(received(), new RegExp(`connection: ${connection}`, "i"), `${random} ${ageMs}`);
    socket.destroy();
  }
});
