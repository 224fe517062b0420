import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type ErrorCode, errorTable } from "@uag/contract/errors/table";
import { capturedLog } from "@uag/harness/testing/captured-log";
import { Stopwatch } from "@uag/harness/testing/durations";
import { waitFor } from "@uag/harness/testing/wait-for";
import { type MeteringServiceServer, MeteringServiceService } from "@uag/proto/metering/v1/metering.ts";
import { createLogger } from "../src/log.ts";
import { createRpcClient, replicaFor } from "../src/rpc/client.ts";
import { insecure } from "../src/rpc/identity.ts";
import { serveRpc, unaryService } from "../src/rpc/server.ts";

const log = createLogger({ service: "test", level: "silent" });
const host = "127.0.0.1";

type KeyUseServer = Pick<MeteringServiceServer, "listKeyUse">;

/** A server that responds with the ids it was called with. */
function serveEcho(called: (batchIds: readonly string[]) => void = () => {}) {
  const confirmApplied = async ({ batchIds }: { batchIds: string[] }) => {
    called(batchIds);
    return { applied: batchIds };
  };
  const none = async () => assert.fail("unexpected call");
  const queries = { queryUsage: none, querySeries: none, listEvents: none, findEvents: none, getEvent: none };
  const handlers = { confirmApplied, ...queries, listKeyUse: none, sumLastMonth: none };
  const services = [unaryService<MeteringServiceServer>(MeteringServiceService, handlers, log)];
  return serveRpc({ identity: insecure, host, port: 0, services });
}

/**
 * A proxy to a port whose connections can be blackholed: they carry no more data, and neither end
 * is notified.
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

test("an RPC server logs one line with the cause for each failure with a status of 500 or more", async () => {
  const { log: captured, lines } = capturedLog();
  let code: ErrorCode = "internal_error";
  const fail = async () => {
    throw new GatewayError(code, undefined, { cause: new Error("the cause") });
  };
  await using server = await serveRpc({
    identity: insecure,
    host,
    port: 0,
    services: [
      unaryService<KeyUseServer>({ listKeyUse: MeteringServiceService.listKeyUse }, { listKeyUse: fail }, captured),
    ],
  });
  using client = createRpcClient<MeteringServiceServer>(MeteringServiceService, `${host}:${server.port}`, insecure);
  const expected: unknown[] = [];
  for (code of Object.keys(errorTable) as ErrorCode[]) {
    await assert.rejects(client.listKeyUse({ keys: [] }), { code });
    const { http } = errorTable[code];
    if (http >= 500) expected.push([code, http, "listKeyUse", "the cause"]);
  }
  const logged = lines.map(({ code, status, method, err }) => [code, status, method, (err as Error).message]);
  assert.deepEqual(logged, expected);
});

test("calls to a machine that vanishes fail within fifteen seconds, not after TCP's quarter of an hour", async () => {
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

test("calls replicas in turn, and no call fails while one stops gracefully", async () => {
  const calls = { first: 0, second: 0 };
  await using first = await serveEcho(() => calls.first++);
  await using second = await serveEcho(() => calls.second++);
  const addresses = `${host}:${first.port},${host}:${second.port}`;
  using client = createRpcClient<MeteringServiceServer>(MeteringServiceService, addresses, insecure);
  const call = () => client.confirmApplied({ batchIds: ["one"] });
  await waitFor(
    async () => {
      await call();
      return calls.first > 0 && calls.second > 0;
    },
    { what: "calls of both replicas" },
  );
  const before = { ...calls };
  for (let n = 0; n < 20; n++) await call();
  assert.deepEqual([calls.first - before.first, calls.second - before.second], [10, 10]);
  const stopping = new AbortController();
  const load = Array.from({ length: 8 }, async () => {
    while (!stopping.signal.aborted) await call();
  });
  await first[Symbol.asyncDispose]();
  const after = calls.second;
  await waitFor(() => calls.second > after + 100, { what: "calls of the other replica" });
  stopping.abort();
  await Promise.all(load);
});

test("calls with one affinity go to the same replica from every process, to another one when it stops, and affinities are spread", async () => {
  const called = new Map<string, Set<number>>();
  const servers = [0, 1, 2].map((n) => serveEcho(([id = ""]) => called.get(id)?.add(n)));
  const replicas = await Promise.all(servers);
  await using stack = new AsyncDisposableStack();
  for (const server of replicas) stack.use(server);
  const addresses = replicas.map(({ port }) => `${host}:${port}`);
  const open = (named: string[]) =>
    stack.use(createRpcClient<MeteringServiceServer>(MeteringServiceService, named.join(), insecure));
  const clients = [open(addresses), open(addresses.toReversed())];
  const affinities = Array.from({ length: 30 }, (_, n) => `acct_${n}`);
  const callAll = async () => {
    called.clear();
    for (const affinity of affinities) called.set(affinity, new Set());
    for (const client of clients)
      for (const affinity of affinities) await client.confirmApplied({ batchIds: [affinity] }, { affinity });
  };
  const connected = () => new Set(clients.flatMap((one) => affinities.map((affinity) => replicaFor(one, affinity))));
  await callAll();
  await waitFor(() => connected().size === 3, { what: "connections to all replicas" });
  await callAll();
  const homes = new Map([...called].map(([affinity, by]) => [affinity, [...by]]));
  for (const by of homes.values()) assert.equal(by.length, 1);
  assert.deepEqual(new Set([...homes.values()].flat()), new Set([0, 1, 2]));
  await replicas[1]?.[Symbol.asyncDispose]();
  await callAll();
  for (const [affinity, by] of called) {
    const [home] = homes.get(affinity) ?? [];
    if (home === 1) assert.ok(!by.has(1));
    else assert.deepEqual([...by], [home]);
  }
});

test("no call fails while two of three replicas stop at the same time", async () => {
  const stopping = [await serveEcho(), await serveEcho()];
  await using staying = await serveEcho();
  const addresses = [...stopping, staying].map(({ port }) => `${host}:${port}`).join();
  using client = createRpcClient<MeteringServiceServer>(MeteringServiceService, addresses, insecure);
  const failed: unknown[] = [];
  const over = new AbortController();
  let called = 0;
  const callOn = async () => {
    for (; !over.signal.aborted; called++)
      await client.confirmApplied({ batchIds: ["one"] }, { timeoutMs: 60_000 }).catch((error) => failed.push(error));
  };
  const working = Array.from({ length: 60 }, callOn);
  await waitFor(() => called > 600, { what: "calls of every replica" });
  await Promise.all(stopping.map((server) => server[Symbol.asyncDispose]()));
  over.abort();
  await Promise.all(working);
  assert.deepEqual(failed, []);
});
