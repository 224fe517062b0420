import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { test } from "node:test";
import { promisify } from "node:util";
import { drainServer } from "./drain-server.ts";

const lingerMs = 60_000;
const drainMs = 60_000;

/** A connection that keeps what it received. */
interface Client {
  readonly socket: Socket;
  received(): string;
  get(): void;
}

async function dial(port: number): Promise<Client> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  return { socket, received: () => text, get: () => void socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n") };
}

/** A server that holds its responses until they are sent, and clients of it. */
async function serve(): Promise<{
  server: Server;
  held: ServerResponse[];
  dialled(count: number): Promise<Client[]>;
  reached(count: number): Promise<void>;
}> {
  const held: ServerResponse[] = [];
  const server = createServer((_request, response) => void held.push(response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    server,
    held,
    dialled: (count) => Promise.all(Array.from({ length: count }, () => dial(port))),
    async reached(count) {
      while (held.length < count) await once(server, "request");
    },
  };
}

test("a closing server responds to requests on old and new connections with connection: close", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { server, held, dialled, reached } = await serve();
  const [used, idle, quiet] = (await dialled(3)) as [Client, Client, Client];
  used.get();
  await reached(1);
  held[0]?.write("begun, ");
  const drained = drainServer(server, { lingerMs, drainMs });
  const [late] = (await dialled(1)) as [Client];
  late.get();
  idle.get();
  await reached(3);
  for (const response of held) response.end("done");
  await Promise.all([idle, late].map(({ socket }) => once(socket, "end")));
  for (const { received } of [idle, late]) assert.match(received(), /connection: close[\s\S]*done/i);
  while (!used.received().includes("done")) await once(used.socket, "data");
  assert.match(used.received(), /connection: keep-alive/i);
  t.mock.timers.tick(lingerMs);
  for (const { get } of [used, quiet]) get();
  await reached(5);
  for (const response of held.slice(3)) response.end("late, done");
  await drained;
  for (const { socket, received } of [used, quiet]) {
    if (socket.readyState === "open") await once(socket, "end");
    assert.match(received(), /connection: close[\s\S]*late, done/i);
    socket.destroy();
  }
});

for (const [name, long, endsMs] of [
  ["keep-alive time, when the drain is longer", drainMs, 6_000],
  ["drain, when that is shorter", 2_000, 2_000],
] as const) {
  test(`closes an idle connection at the end of its ${name}`, async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const { server, held, dialled, reached } = await serve();
    server.keepAliveTimeout = 5_000;
    const [idle] = (await dialled(1)) as [Client];
    idle.get();
    await reached(1);
    held[0]?.end("done");
    while (!idle.received().includes("done")) await once(idle.socket, "data");
    const drained = drainServer(server, { lingerMs, drainMs: long });
    t.mock.timers.tick(lingerMs);
    while (server.listening) await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(endsMs - 1);
    assert.equal(await promisify(server.getConnections.bind(server))(), 1);
    t.mock.timers.tick(1);
    await drained;
    idle.socket.destroy();
  });
}
