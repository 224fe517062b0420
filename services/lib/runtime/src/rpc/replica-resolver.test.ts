import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { experimental } from "@grpc/grpc-js";
import { ReplicaResolver, replicasOf } from "./replica-resolver.ts";

/** A resolver whose name has the addresses of `now`, and what it reported to its channel. */
function resolverOf(now: { addresses: string[] | Error }) {
  const reported: string[] = [];
  const listener: experimental.ResolverListener = (found) => {
    reported.push(
      found.ok ? found.value.flatMap(({ addresses }) => addresses.map((one) => JSON.stringify(one))).join() : "none",
    );
    return true;
  };
  const resolve = async (): Promise<string[]> => {
    if (now.addresses instanceof Error) throw now.addresses;
    return now.addresses;
  };
  return { reported, resolver: new ReplicaResolver({ path: "" }, listener, {}, resolve) };
}

const first = '{"host":"10.0.0.1","port":50051}';
const second = '{"host":"10.0.0.2","port":50051}';

test("a replica that is added behind a name is known five seconds later, though no connection broke", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const now = { addresses: ["10.0.0.1:50051"] };
  const { reported, resolver } = resolverOf(now);
  resolver.updateResolution();
  await turn();
  assert.deepEqual(reported, [first]);
  t.mock.timers.tick(5_000);
  await turn();
  assert.equal(reported.length, 1, "addresses that are the same are not reported again: channels would reconnect");
  now.addresses = ["10.0.0.2:50051", "10.0.0.1:50051"];
  t.mock.timers.tick(5_000);
  await turn();
  assert.deepEqual(reported, [first, `${first},${second}`]);
  resolver.destroy();
});

test("a name server that is away takes no replica away, and a name that is not there yet is asked for again", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const now: { addresses: string[] | Error } = { addresses: new Error("ENOTFOUND") };
  const { reported, resolver } = resolverOf(now);
  resolver.updateResolution();
  await turn();
  now.addresses = ["10.0.0.1:50051"];
  t.mock.timers.tick(500);
  await turn();
  now.addresses = new Error("EAI_AGAIN");
  t.mock.timers.tick(5_000);
  await turn();
  assert.deepEqual(reported, ["none", first]);
  resolver.destroy();
});

test("gRPC's own way of writing a name is read, and what is no host and port is refused at once", () => {
  assert.equal(replicasOf("dns:///billing:50051"), "replicas:billing:50051");
  assert.equal(replicasOf("10.0.0.1:1, [::1]:2"), "replicas:10.0.0.1:1,[::1]:2");
  assert.throws(() => replicasOf("billing"), /not a host:port/);
});
