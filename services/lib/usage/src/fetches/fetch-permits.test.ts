import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { LeaseFetchesRequest, LeaseFetchesResponse } from "@uag/proto/billing/v1/limits.ts";
import { FetchPermits } from "./fetch-permits.ts";

const leaseMs = 30_000;
const generous = ({ need, want }: LeaseFetchesRequest): LeaseFetchesResponse => ({
  leased: Math.max(need, want),
  leaseMs,
  perHour: 100,
  retryAfterMs: 0,
});
const down = (): never => {
  throw new GatewayError("service_unavailable");
};

function setUp(respond = generous) {
  const calls: LeaseFetchesRequest[] = [];
  const billing = {
    now: 0,
    respond,
    async leaseFetches(request: LeaseFetchesRequest) {
      calls.push(request);
      return billing.respond(request);
    },
    [Symbol.dispose]: () => {},
  };
  return { calls, billing, permits: new FetchPermits({ billing, now: () => billing.now }) };
}

const unavailable = (error: unknown): boolean =>
  error instanceof GatewayError && error.code === "service_unavailable" && error.retryAfterMs === 1_000;

test("one URL takes one permit, and a busy account's leases grow to sixteen", async () => {
  const { calls, permits } = setUp();
  for (let n = 0; n < 64; n++) await permits.take("acct_1");
  assert.deepEqual(
    calls.map(({ need, want }) => Math.max(need, want)),
    [1, 2, 4, 8, 16, 16, 16, 16],
  );
  await permits[Symbol.asyncDispose]();
});

test("permits for all URLs of one request are leased in one call", async () => {
  const { calls, permits } = setUp();
  await Promise.all(Array.from({ length: 64 }, () => permits.take("acct_1")));
  assert.deepEqual(
    calls.map(({ need }) => need),
    [64],
  );
  await permits[Symbol.asyncDispose]();
});

test("unused permits are returned when their lease expires, without delaying requests", async () => {
  const { calls, billing, permits } = setUp((request) => ({ ...generous(request), leased: request.need && 16 }));
  await permits.take("acct_1");
  await turn();
  billing.now = leaseMs - 1;
  permits.advance();
  assert.equal(calls.length, 1);
  billing.now = leaseMs;
  permits.advance();
  await turn();
  const [lease, returned] = calls as [LeaseFetchesRequest, LeaseFetchesRequest];
  assert.deepEqual([returned.need, returned.want, returned.unused], [0, 0, 15]);
  assert.equal(returned.endedLeaseId, lease.leaseId);
  permits.advance();
  await permits[Symbol.asyncDispose]();
  assert.equal(calls.length, 2);
});

test("a stopping replica gives back its unused permits", async () => {
  const { calls, permits } = setUp((request) => ({ ...generous(request), leased: request.need && 16 }));
  await permits.take("acct_1");
  await permits.take("acct_2");
  await permits[Symbol.asyncDispose]();
  assert.deepEqual(
    calls.slice(2).map(({ accountId, unused }) => [accountId, unused]),
    [
      ["acct_1", 15],
      ["acct_2", 15],
    ],
  );
});

test("while billing is unreachable, leased permits are used, and then a fetch is refused with a 503 and retry-after", async () => {
  const { calls, billing, permits } = setUp((request) => ({ ...generous(request), leased: 2 }));
  await permits.take("acct_1");
  billing.respond = down;
  await permits.take("acct_1");
  await assert.rejects(permits.take("acct_1"), unavailable);
  await assert.rejects(permits.take("acct_1"), unavailable);
  assert.equal(permits.refused, 0);
  billing.respond = (request) => ({ ...generous(request), leased: 1 });
  await permits.take("acct_1");
  // Billing may have leased what the failed calls asked for.
  assert.equal(new Set(calls.slice(1).map(({ leaseId }) => leaseId)).size, 1);
  billing.respond = generous;
  await permits[Symbol.asyncDispose]();
});

test("a refusal names the budget and the time of the next permit, and repeated requests do not reach billing for a second", async () => {
  const { calls, billing, permits } = setUp((request) => ({ ...generous(request), leased: 0, retryAfterMs: 36_000 }));
  for (const [now, retryAfterMs, sent] of [
    [0, 36_000, 1],
    [999, 35_001, 1],
    [1_000, 36_000, 2],
  ] as const) {
    billing.now = now;
    const error = await permits.take("acct_1").catch((thrown: unknown) => thrown);
    assert.ok(error instanceof GatewayError && error.code === "rate_limit_exceeded", String(error));
    assert.match(error.message, /budget of 100 fetched URLs per hour/);
    assert.deepEqual([error.retryAfterMs, calls.length], [retryAfterMs, sent]);
  }
  assert.equal(permits.refused, 3);
  billing.respond = generous;
  await permits.take("acct_2");
  await permits[Symbol.asyncDispose]();
});

test("requests that arrive while others are served get permits too", async () => {
  const { permits } = setUp();
  const chain = async (): Promise<void> => {
    for (let n = 0; n < 200; n++) await permits.take("acct_1");
  };
  await Promise.all(Array.from({ length: 10 }, chain));
  await permits[Symbol.asyncDispose]();
});
