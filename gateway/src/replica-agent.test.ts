import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { MountReplicas } from "./mount-replicas.ts";
import { ReplicaAgent } from "./replica-agent.ts";

async function listen(name: string, port = 0): Promise<Server> {
  const server = createServer((_request, response) => response.end(name)).listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}
const portOf = (server: Server): number => (server.address() as AddressInfo).port;
async function close(server: Server): Promise<void> {
  const closed = once(server.close(), "close");
  server.closeAllConnections();
  await closed;
}

test("a recovered replica receives requests again, even if kept connections go to another", async (t) => {
  const [first, second] = [await listen("first"), await listen("second")];
  const port = portOf(first);
  await close(first);
  t.after(() => close(second));
  const urls = [port, portOf(second)].map((each) => `http://127.0.0.1:${each}`);
  const agent = new ReplicaAgent(new MountReplicas(urls, { now: () => 0, monotonic: () => 0 }), { keepAlive: true });
  t.after(() => agent.destroy());
  const call = async (): Promise<string> => {
    const request = get({ host: "127.0.0.1", port, agent });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    const body = await text(response);
    await new Promise((resolve) => setImmediate(resolve));
    return body;
  };
  assert.equal(await call(), "second");
  const back = await listen("first", port);
  t.after(() => close(back));
  assert.equal(await call(), "first");
});
