import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import type { GatewayError } from "@uag/contract/errors/gateway-error";
import { Stopwatch } from "@uag/harness/testing/durations";
import { waitFor } from "@uag/harness/testing/wait-for";
import { acquireFields, faults, fund, resolveKey, scratch, startBilling, usage } from "./harness.ts";

/** A connection to the database that can be cut. */
async function startTcpProxy(target: URL): Promise<{ port: number; close(): void; open(): void } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  let shut = false;
  const server = createServer((socket) => {
    if (shut) return socket.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): void => {
    shut = true;
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    port: (server.address() as AddressInfo).port,
    close,
    open: () => {
      shut = false;
    },
    async [Symbol.asyncDispose]() {
      close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("without its database billing returns service_unavailable instead of hanging, stays alive, and recovers automatically", async () => {
  await using db = scratch();
  const target = new URL(db.env["MONGODB_URL"]!.split(",")[0]!);
  await using proxy = await startTcpProxy(target);
  // Connects directly: a replica set's own member list would bypass the proxy.
  const user = `${target.username}:${target.password}`;
  const url = `mongodb://${user}@127.0.0.1:${proxy.port}/?directConnection=true&authSource=admin`;
  await using billing = await startBilling({ ...db.env, MONGODB_URL: url });
  const ready = async () => (await fetch(`http://127.0.0.1:${billing.adminPort}/health/ready`)).status;
  const accountId = await fund(billing, 1_000n);
  const { grantId } = await billing.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 10n }));
  assert.equal(await ready(), 200);
  proxy.close();
  const unavailable = (error: unknown) => (error as GatewayError).code === "service_unavailable";
  const event = usage({ accountId, grantId, costNanoUsd: 7n, holdNanoUsd: 10n });
  const options = { timeoutMs: 60_000 };
  using watch = new Stopwatch();
  await Promise.all([
    assert.rejects(
      billing.grants.acquire(acquireFields({ holderId: "h", accountId, needNanoUsd: 10n }), options),
      unavailable,
    ),
    assert.rejects(billing.ledger.settle({ events: [event] }, options), unavailable),
    assert.rejects(resolveKey(billing, { digest: Buffer.alloc(32), previousDigests: [] }, options), unavailable),
    assert.rejects(billing.grants.heartbeat({ holderId: "h", service: "chat" }, options), unavailable),
  ]);
  assert.ok(watch.ms < 8_000, `${watch.ms} ms`);
  assert.equal(await ready(), 503);
  proxy.open();
  await waitFor(async () => (await ready()) === 200, { what: "billing to be ready again" });
  assert.equal((await billing.ledger.settle({ events: [event] }, options)).settled[0]!.chargedNanoUsd, 7n);
  assert.deepEqual(await faults(billing), []);
});
