import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { LeaseSpendRequest } from "@uag/proto/billing/v1/grants.ts";
import { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { CredentialSpend } from "./credential-spend.ts";
import { RequestSpend } from "./request-spend.ts";

const day = "2027-01-31";
const startedAtMs = Date.parse(`${day}T12:00:00Z`);
const credential = { provider: "acme", credentialId: "c", caps: { daily: 100n, monthly: undefined } };

/** A holder, and billing that leases what its cap leaves. */
function stage(cap = 100n) {
  let now = 0;
  const calls: LeaseSpendRequest[] = [];
  const failures: unknown[] = [];
  const state = { cap, isDown: false, untilMs: 7n };
  const spend = new CredentialSpend({
    holderId: "h",
    now: () => now,
    failed: (error) => failures.push(error),
    billing: {
      async leaseSpend(request) {
        calls.push(request);
        if (state.isDown) throw new Error("down");
        const { leastNanoUsd: least, wantNanoUsd: want } = request;
        const granted = want < state.cap ? want : state.cap;
        const leasedNanoUsd = granted > least ? granted : least;
        return { leasedNanoUsd, untilMs: leasedNanoUsd < want ? state.untilMs : 0n };
      },
    },
  });
  const request = () => new RequestSpend(spend, startedAtMs);
  const pass = (ms: number): void => {
    now += ms;
    spend.advance(day);
  };
  return { spend, calls, failures, state, request, pass };
}

const billed = (costNanoUsd: bigint, more: Partial<UsageEvent> = {}): UsageEvent =>
  UsageEvent.fromPartial({ upstream: "acme", upstreamCredentialId: "c", costNanoUsd, ...more });

test("requests that wait together are leased for in one call, and no more than the cap is ever reserved", async () => {
  const { calls, request } = stage();
  const requests = Array.from({ length: 5 }, request);
  await Promise.all(requests.map((each) => each.ensure(credential, 30n)));
  assert.deepEqual(
    calls.map(({ leastNanoUsd, wantNanoUsd }) => [leastNanoUsd, wantNanoUsd]),
    [[0n, 150n]],
  );
  const taken = requests.filter((each) => {
    const isCovered = each.covers(credential, 30n);
    if (isCovered) each.take(credential, 30n);
    return isCovered;
  });
  assert.equal(taken.length, 3);
  assert.equal(requests.at(-1)?.untilMs(credential), 7);
});

test("a request reserves once for all its calls with a credential, and counts what its bill says", async () => {
  const { request } = stage();
  const first = request();
  await first.ensure(credential, 90n);
  first.take(credential, 90n);
  first.take(credential, 90n);
  assert.equal(first.last, credential);
  assert.equal(request().covers(credential, 20n), false);
  first.settled(billed(50n, { upstreamCostNanoUsd: 40n }));
  const next = request();
  await next.ensure(credential, 60n);
  assert.ok(next.covers(credential, 60n));
  next.take(credential, 60n);
  next.settled(billed(60n, { upstreamCredentialId: "another" }));
  assert.ok(request().covers(credential, 60n), "it was billed for another credential");
});

test("without billing no call is made, and it is asked again after a second", async () => {
  const { state, failures, calls, request, pass } = stage();
  state.isDown = true;
  const one = request();
  await one.ensure(credential, 10n);
  await one.ensure(credential, 10n);
  assert.deepEqual([one.covers(credential, 10n), failures.length, calls.length], [false, 1, 1]);
  state.isDown = false;
  pass(1_000);
  await one.ensure(credential, 10n);
  assert.ok(one.covers(credential, 10n));
});

test("another cap counts from the next request, and what is idle is given back", async () => {
  const { state, calls, request, pass } = stage(10n);
  await request().ensure(credential, 30n);
  state.cap = 50n;
  const raised = { ...credential, caps: { daily: 50n, monthly: undefined } };
  const one = request();
  await one.ensure(raised, 30n);
  one.take(raised, 30n);
  one.settled(billed(5n));
  await setImmediate();
  pass(10_000);
  const { leastNanoUsd, wantNanoUsd, dailyCapNanoUsd } = calls.at(-1) ?? assert.fail("nothing was given back");
  assert.deepEqual([leastNanoUsd, wantNanoUsd, dailyCapNanoUsd], [5n, 5n, 50n]);
  assert.equal(request().covers(raised, 1n), false);
});
