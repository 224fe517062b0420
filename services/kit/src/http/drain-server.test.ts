import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { test } from "node:test";
import { drainServer } from "./drain-server.ts";

const lingerMs = 60_000;
const noDrain = 60_000;

/** A connection that keeps what it received. */
async function dial(port: number): Promise<{ socket: Socket; received(): string; get(): void }> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  return { socket, received: () => text, get: () => void socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n") };
}

test("a server that is to close answers what is on its way, on old and new connections, and says that they end", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const held: ServerResponse[] = [];
  const server = createServer((_request, response) => void held.push(response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const [used, idle] = await Promise.all([dial(port), dial(port)]);
  used.get();
  while (held.length < 1) await once(server, "request");
  held[0]?.write("begun, ");
  const drained = drainServer(server, { lingerMs, drainMs: noDrain });
  const late = await dial(port);
  late.get();
  idle.get();
  while (held.length < 3) await once(server, "request");
  for (const response of held) response.end("done");
  const ended = [idle, late].map(({ socket }) => once(socket, "end"));
  await Promise.all(ended);
  for (const { received } of [idle, late]) assert.match(received(), /connection: close[\s\S]*done/i);
  while (!used.received().includes("done")) await once(used.socket, "data");
  assert.match(used.received(), /connection: keep-alive/i);
  assert.equal(used.socket.readyState, "open", "its answer could not say so, and a request may be on its way");
  t.mock.timers.tick(lingerMs);
  await drained;
  for (const { socket } of [used, idle, late]) socket.destroy();
});
