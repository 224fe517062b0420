import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { GrantServiceServer } from "@uag/proto/billing/v1/grants.ts";
import type { RpcClient } from "@uag/runtime/rpc/client";
import { Lease } from "./lease.ts";

function setUp(respond: () => Promise<{ leaseMs: number; nowMs?: bigint }>) {
  let now = 0;
  let suspended = 0;
  const fenced: GatewayError[] = [];
  const lease = new Lease({
    holderId: "h",
    service: "s",
    billing: {
      heartbeat: async () => ({ nowMs: 0n, ...(await respond()) }),
    } as unknown as RpcClient<GrantServiceServer>,
    clock: { now: () => now + suspended, monotonic: () => now },
    fenced: (error) => fenced.push(error),
  });
  return { lease, fenced, advance: (ms: number) => (now += ms), suspend: (ms: number) => (suspended += ms) };
}

test("a lease runs from when its heartbeat was sent, not from when the response arrived", async () => {
  const response = Promise.withResolvers<{ leaseMs: number }>();
  const { lease, advance } = setUp(() => response.promise);
  assert.equal(lease.live, false);
  const beat = lease.beat();
  advance(900);
  response.resolve({ leaseMs: 1_000 });
  await beat;
  assert.equal(lease.live, true);
  advance(100);
  assert.equal(lease.live, false);
  lease[Symbol.dispose]();
});

test("a machine that was suspended has no lease until billing renews it, although its monotonic clock was stopped", async () => {
  const { lease, advance, suspend } = setUp(() => Promise.resolve({ leaseMs: 15_000 }));
  await lease.beat();
  advance(1_000);
  suspend(200);
  assert.equal(lease.live, true, "a small difference of the clocks is normal clock adjustment");
  suspend(600_000);
  assert.equal(lease.live, false);
  await lease.beat();
  assert.equal(lease.live, true);
  suspend(-1_000);
  assert.equal(lease.live, false, "a wall clock that was set back may hide a suspension");
  lease[Symbol.dispose]();
});

test("a lease runs until its end while billing is unreachable, and only a response of billing fences the holder", async () => {
  let respond = (): Promise<{ leaseMs: number }> => Promise.resolve({ leaseMs: 1_000 });
  const { lease, fenced, advance } = setUp(() => respond());
  await lease.beat();
  respond = () => Promise.reject(new GatewayError("service_unavailable"));
  advance(999);
  await lease.beat();
  assert.deepEqual([lease.live, fenced.length], [true, 0]);
  advance(1);
  assert.equal(lease.live, false);
  respond = () => Promise.reject(new GatewayError("permission_denied"));
  await lease.beat();
  assert.equal(fenced.length, 1);
  lease[Symbol.dispose]();
});

test("a response that arrives after the lease was ended does not revive it", async () => {
  const response = Promise.withResolvers<{ leaseMs: number }>();
  const { lease } = setUp(() => response.promise);
  const beat = lease.beat();
  lease[Symbol.dispose]();
  response.resolve({ leaseMs: 1_000 });
  await beat;
  assert.equal(lease.live, false);
});

test("a process has no lease after its clock was set right during a heartbeat, and wrong again as before", async () => {
  const start = Date.UTC(2026, 10, 1);
  const wrongByMs = 14 * 3_600_000;
  let wall = start;
  const response = Promise.withResolvers<{ leaseMs: number; nowMs: bigint }>();
  const lease = new Lease({
    holderId: "h",
    service: "s",
    billing: { heartbeat: () => response.promise } as never,
    clock: { now: () => wall, monotonic: () => 0 },
    fenced: () => assert.fail("the holder was fenced"),
  });
  wall = start + wrongByMs;
  const beat = lease.beat();
  wall = start;
  response.resolve({ leaseMs: 15_000, nowMs: BigInt(start) });
  await beat;
  assert.equal(lease.live, false);
  wall = start + wrongByMs;
  assert.equal(lease.live, false);
  lease[Symbol.dispose]();
});

test("a process has no lease while its clock differs from the database's by more than five seconds", async () => {
  const start = Date.UTC(2026, 10, 1);
  let wall = start;
  let databaseMs = start;
  const changes: [number, boolean][] = [];
  const lease = new Lease({
    holderId: "h",
    service: "s",
    billing: { heartbeat: async () => ({ leaseMs: 15_000, nowMs: BigInt(databaseMs) }) } as never,
    clock: { now: () => wall, monotonic: () => 0 },
    fenced: () => assert.fail("the holder was fenced"),
    skewed: (skewMs, skewed) => changes.push([skewMs, skewed]),
  });
  await lease.beat();
  assert.equal(lease.live, true);
  wall += 5_000;
  assert.equal(lease.live, false, "the clock differs");
  await lease.beat();
  assert.equal(lease.live, true, "five seconds are tolerated");
  wall += 400 * 86_400_000;
  await lease.beat();
  assert.equal(lease.live, false);
  assert.match(lease.clockFault ?? "", /differs from the database's by 34560005000 ms/);
  databaseMs = wall;
  await lease.beat();
  assert.equal(lease.live, true);
  assert.equal(lease.clockFault, undefined);
  assert.deepEqual(changes, [
    [34_560_005_000, true],
    [0, false],
  ]);
  lease[Symbol.dispose]();
});
