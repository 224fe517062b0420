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

test("finds a replica added to a name within five seconds, without a broken connection", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const now = { addresses: ["10.0.0.1:50051"] };
  const { reported, resolver } = resolverOf(now);
  resolver.updateResolution();
  await turn();
  assert.deepEqual(reported, [first]);
  t.mock.timers.tick(5_000);
  await turn();
  assert.equal(reported.length, 1, "unchanged addresses are not reported again, since channels would reconnect");
  now.addresses = ["10.0.0.2:50051", "10.0.0.1:50051"];
  t.mock.timers.tick(5_000);
  await turn();
  assert.deepEqual(reported, [first, `${first},${second}`]);
  resolver.destroy();
});

test("keeps known replicas while the name server is unreachable, and retries a name that does not resolve yet", async (t) => {
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

test("accepts gRPC's dns:/// form, and rejects anything that is not a host and port", () => {
  assert.equal(replicasOf("dns:///billing:50051"), "replicas:billing:50051");
  assert.equal(replicasOf("10.0.0.1:1, [::1]:2"), "replicas:10.0.0.1:1,[::1]:2");
  assert.throws(() => replicasOf("billing"), /invalid address/);
});
