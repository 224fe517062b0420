import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";
import { createLogger } from "../src/log.ts";
import { createRpcClient } from "../src/rpc/client.ts";
import { insecure } from "../src/rpc/identity.ts";
import { serveRpc, unaryService } from "../src/rpc/server.ts";
import { Stopwatch } from "../src/testing/durations.ts";

const log = createLogger({ service: "test", level: "silent" });
const host = "127.0.0.1";

/** A server that responds with the ids it was called with. */
function serveEcho() {
  const confirmApplied = async ({ batchIds }: { batchIds: string[] }) => ({ applied: batchIds });
  const none = async () => assert.fail("nobody asks for this");
  const queries = { queryUsage: none, querySeries: none, listEvents: none, findEvents: none, getEvent: none };
  const handlers = { confirmApplied, ...queries, listKeyUse: none };
  const services = [unaryService<MeteringServiceServer>(MeteringServiceService, handlers, log)];
  return serveRpc({ identity: insecure, host, port: 0, services });
}

/**
 * A proxy to a port whose connections can be blackholed: they carry nothing any more, and neither
 * end is told.
 */
async function startWay(port: number) {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ host, port });
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) sockets.add(socket.on("error", () => socket.destroy()));
  });
  server.listen(0, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    loseAll: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

test("a machine that is lost without a word costs calls fifteen seconds, and not the quarter of an hour that TCP takes", async () => {
  await using server = await serveEcho();
  using way = await startWay(server.port);
  using client = createRpcClient<MeteringServiceServer>(MeteringServiceService, `${host}:${way.port}`, insecure);
  const call = () => client.confirmApplied({ batchIds: ["one"] }, { timeoutMs: 2_000 });
  assert.deepEqual((await call()).applied, ["one"]);
  way.loseAll();
  using watch = new Stopwatch();
  let failed = 0;
  while (
    await call().then(
      () => false,
      () => true,
    )
  ) {
    failed++;
    assert.ok(watch.ms < 20_000, `${failed} calls failed one after the other`);
  }
  assert.ok(failed > 0);
});
