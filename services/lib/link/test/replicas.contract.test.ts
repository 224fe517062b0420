import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@uag/harness/testing/free-port";
import { waitFor } from "@uag/harness/testing/wait-for";
import { insecure } from "@uag/runtime/rpc/identity";
import { createLinkClient, type LinkClient } from "../src/client.ts";
import { dialGrpc } from "../src/grpc-client.ts";
import { ResponseStream } from "../src/response-stream.ts";
import type { LinkHandler } from "../src/server.ts";
import { aborted, call, echo, failure, request, Service } from "./fixtures.ts";

const none = Buffer.alloc(0);

async function bothReady(client: LinkClient): Promise<void> {
  await waitFor(() => client.status().replicas.filter(({ ready }) => ready).length === 2, { what: "both replicas" });
}

function counting(): { handler: LinkHandler; count: () => number } {
  let count = 0;
  return {
    handler: (exchange) => {
      count++;
      return echo(exchange);
    },
    count: () => count,
  };
}

test("replicas share the load evenly, and a busy one gets less", async () => {
  const [a, b] = [counting(), counting()];
  const hold: LinkHandler = ({ signal }) => aborted(signal);
  await using first = await Service.start({ echo: a.handler, hold });
  await using second = await Service.start({ echo: b.handler, hold });
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [`${first.address}`, second.address] });
  await bothReady(client);
  for (let i = 0; i < 50; i++) await call(client, "echo", none);
  await Promise.all(Array.from({ length: 150 }, () => call(client, "echo", none)));
  assert.deepEqual([a.count(), b.count()], [100, 100]);
  const held = Array.from({ length: 9 }, () => ResponseStream.open(client, request("hold", { bodyless: true })));
  await waitFor(() => first.link.status().handlers + second.link.status().handlers === 9, {
    what: "all exchanges to be held",
  });
  const [busier, other] = first.link.status().handlers === 5 ? [a, b] : [b, a];
  const before = [busier.count(), other.count()] as const;
  for (let i = 0; i < 20; i++) await call(client, "echo", none);
  assert.deepEqual([busier.count() - before[0], other.count() - before[1]], [0, 20]);
  for (const stream of held) stream.call.cancel("enough");
  await client.close();
});

test("logs a replica that was never reached once, and only after the time that its start may take", async () => {
  const port = await freePort();
  const logged: string[][] = [[], []];
  const clients = [60_000, 0].map((startGraceMs, at) =>
    createLinkClient({
      dial: dialGrpc(insecure, "chat"),
      targets: [`127.0.0.1:${port}`],
      startGraceMs,
      log: (event) => logged[at]?.push(event),
    }),
  );
  await waitFor(() => (logged[1]?.length ?? 0) > 0);
  // Long enough for several attempts to reconnect.
  await sleep(1_000);
  assert.deepEqual(logged, [[], ["link.closed"]]);
  await Promise.all(clients.map((client) => client.close()));
});

test("a draining replica loses no exchange: those in flight finish, new ones go to other replicas", async () => {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow: LinkHandler = async (exchange) => {
    await released;
    exchange.respond(200, [], Buffer.from("slow"));
  };
  await using first = await Service.start({ echo, slow });
  await using second = await Service.start({ echo, slow });
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [first.address, second.address] });
  await bothReady(client);
  const slows = Array.from({ length: 10 }, () => call(client, "slow", none));
  await waitFor(() => first.link.status().handlers === 5, { what: "half of them to be with the first" });
  let stop = false;
  const load = Promise.all(
    Array.from({ length: 20 }, async () => {
      while (!stop) await call(client, "echo", Buffer.alloc(3_000));
    }),
  );
  const draining = first.link.drain({ timeoutMs: 30_000 });
  await waitFor(() => client.status().replicas.some((replica) => !replica.ready), {
    what: "the client to notice the drain",
  });
  release();
  assert.deepEqual(await draining, { aborted: 0 });
  stop = true;
  await load;
  for (const response of await Promise.all(slows)) assert.equal(response.body.toString(), "slow");
  assert.deepEqual(first.link.status(), { links: 0, exchanges: 0, handlers: 0, draining: true });
  await client.close();
});

test("a drain that takes too long aborts the remaining exchanges and returns their number", async () => {
  await using service = await Service.start({ hold: ({ signal }) => aborted(signal) });
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [service.address] });
  const held = ResponseStream.open(client, request("hold", { bodyless: true }));
  await waitFor(() => service.link.status().handlers === 1, { what: "the handler to run" });
  const errors = failure(held.head);
  assert.deepEqual(await service.link.drain({ timeoutMs: 50 }), { aborted: 1 });
  assert.deepEqual([(await errors).code, (await errors).seen], ["aborted", true]);
  await client.close();
});

test("an exchange that a full replica refuses goes to another, or fails as unsent", async () => {
  const hold: LinkHandler = async (exchange) => {
    exchange.head(200, []);
    await aborted(exchange.signal);
  };
  await using first = await Service.start({ hold }, { maxExchanges: 1 });
  await using second = await Service.start({ hold }, { maxExchanges: 3 });
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [first.address, second.address] });
  await bothReady(client);
  const held = [];
  for (let i = 0; i < 4; i++) {
    const stream = ResponseStream.open(client, request("hold"), Buffer.alloc(100_000));
    held.push(stream);
    await stream.head;
  }
  const error = await failure(ResponseStream.open(client, request("hold"), Buffer.alloc(100_000)).head);
  assert.deepEqual([error.code, error.seen, error.reason], ["unsent", false, "overloaded"]);
  for (const stream of held) stream.call.cancel("enough");
  await client.close();
});

test("follows replicas that are added to or removed from the name service without losing an exchange", async () => {
  await using first = await Service.start({ echo });
  await using second = await Service.start({ echo });
  let addresses = [first.address];
  const client = createLinkClient({
    dial: dialGrpc(insecure, "chat"),
    targets: () => Promise.resolve(addresses),
    resolveEveryMs: 20,
  });
  let stop = false;
  const load = Promise.all(
    Array.from({ length: 5 }, async () => {
      while (!stop) await call(client, "echo", Buffer.alloc(100));
    }),
  );
  const names = (): string[] =>
    client
      .status()
      .replicas.filter((replica) => replica.ready)
      .map(({ address }) => address);
  await waitFor(() => names().length === 1, { what: "the first replica" });
  addresses = [first.address, second.address];
  await waitFor(() => names().length === 2, { what: "the second replica" });
  addresses = [second.address];
  await waitFor(() => first.link.status().links === 0, { what: "the first replica to be disconnected" });
  assert.deepEqual(names(), [second.address]);
  stop = true;
  await load;
  await client.close();
});
