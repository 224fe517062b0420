import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "@uag/harness/testing/wait-for";
import { insecure } from "@uag/runtime/rpc/identity";
import { createLinkClient } from "../src/client.ts";
import type { LinkError } from "../src/errors.ts";
import { dialGrpc } from "../src/grpc-client.ts";
import { ResponseStream } from "../src/response-stream.ts";
import type { LinkHandler } from "../src/server.ts";
import { aborted, Child, call, echo, failure, request, Service } from "./fixtures.ts";

const none = Buffer.alloc(0);

/** Holds every exchange until it is aborted, and records the reasons. */
function holder(reasons: LinkError[]): LinkHandler {
  return async (exchange) => {
    exchange.head(200, []);
    reasons.push(await failure(aborted(exchange.signal)));
  };
}

test("killing a service fails only its own exchanges, as possibly received", async () => {
  await using service = await Service.start({ echo });
  await using child = new Child("serve", "0");
  const dying = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [await child.next()] });
  const living = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [service.address] });
  const halves = Array.from({ length: 5 }, () => ResponseStream.open(dying, request("half", { bodyless: true })));
  await Promise.all(halves.map((half) => half.head));
  await child.kill();
  for (const half of halves) {
    const error = await failure(half.bytes());
    assert.deepEqual([error.code, error.seen], ["broken", true]);
  }
  assert.equal((await call(living, "echo", Buffer.from("a"))).body.toString(), "a");
  assert.equal(dying.status().replicas[0]?.ready, false);
  await dying.close();
  await living.close();
});

test("exchanges wait for a service that restarts on the same port", async () => {
  await using first = new Child("serve", "0");
  const address = await first.next();
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [address], readyWaitMs: 20_000 });
  await call(client, "echo", none);
  await first.kill();
  await waitFor(() => client.status().replicas[0]?.ready === false, { what: "the client to notice the kill" });
  const early = call(client, "echo", Buffer.from("early"));
  assert.equal(client.status().waiting, 1);
  await using _second = new Child("serve", address.split(":")[1] as string);
  assert.equal((await early).body.toString(), "early");
  await client.close();
});

test("killing a router aborts the handlers of its exchanges", async () => {
  const reasons: LinkError[] = [];
  await using service = await Service.start({ hold: holder(reasons), echo });
  await using child = new Child("call", service.address);
  assert.equal(await child.next(), "head");
  await child.kill();
  await waitFor(() => reasons.length === 1, { what: "the handler to be aborted" });
  assert.equal(reasons[0]?.code, "broken");
  assert.deepEqual(service.link.status(), { links: 0, exchanges: 0, handlers: 0, draining: false });
});

test("cancelling reaches the handler's signal, before and after the head", async () => {
  const reasons: LinkError[] = [];
  await using service = await Service.start({ hold: holder(reasons), mute: async ({ signal }) => aborted(signal) });
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [service.address] });
  const hold = ResponseStream.open(client, request("hold", { bodyless: true }));
  await hold.head;
  hold.call.cancel("left");
  await waitFor(() => reasons.length === 1, { what: "the abort" });
  assert.deepEqual([reasons[0]?.code, reasons[0]?.reason], ["cancelled", "left"]);
  const controller = new AbortController();
  const mute = ResponseStream.open(client, request("mute", { signal: controller.signal }));
  await waitFor(() => service.link.status().handlers === 1, { what: "the handler to run" });
  controller.abort();
  assert.equal((await failure(mute.head)).code, "cancelled");
  await waitFor(() => service.link.status().handlers === 0, { what: "the abort" });
  const late = ResponseStream.open(client, request("mute", { signal: controller.signal }));
  assert.deepEqual([(await failure(late.head)).code, service.link.status().handlers], ["cancelled", 0]);
  await client.close();
});

test("a deadline ends the exchange at both ends", async () => {
  const reasons: LinkError[] = [];
  await using service = await Service.start({ hold: holder(reasons) });
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [service.address] });
  await client.ready();
  const started = performance.now();
  const error = await failure(
    ResponseStream.open(client, request("hold", { bodyless: true, deadlineMs: 500 })).bytes(),
  );
  assert.equal(error.code, "deadline");
  assert.ok(performance.now() - started >= 499);
  await waitFor(() => reasons.length === 1, { what: "the abort" });
  assert.ok(["deadline", "cancelled"].includes(reasons[0]?.code ?? ""));
  await client.close();
});

test("without a ready replica an exchange fails after the wait, as unavailable and not received", async () => {
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: ["127.0.0.1:9"], readyWaitMs: 100 });
  const error = await failure(call(client, "echo", none));
  assert.deepEqual([error.code, error.seen], ["unavailable", false]);
  const hurried = await failure(call(client, "echo", none, { deadlineMs: 20 }));
  assert.deepEqual([hurried.code, hurried.seen], ["deadline", false]);
  await assert.rejects(client.ready({ signal: AbortSignal.timeout(10) }));
  await client.close();
  assert.equal((await failure(call(client, "echo", none))).code, "closed");
});
