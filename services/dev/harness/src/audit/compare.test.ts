import assert from "node:assert/strict";
import { test } from "node:test";
import { Outcome, Pricing } from "@uag/proto/metering/v1/usage.ts";
import type { Billed } from "./billed.ts";
import { type Comparison, type ComparisonInput, compare } from "./compare.ts";
import { sampleAttempt } from "./sample-attempt.ts";
import type { Served } from "./served.ts";

const usage = { prompt_tokens: 9, completion_tokens: 12, details: { cached: 0 } };

const attempt = (more: Partial<Served> = {}): Served => sampleAttempt({ usage, ...more });

function bill(more: Partial<Billed> = {}): Billed {
  return {
    requestId: "r1",
    keyId: "k1",
    startedAtMs: 1_000,
    upstream: "openai",
    costNanoUsd: 5n,
    outcome: Outcome.COMPLETED,
    pricing: Pricing.EXACT,
    status: 200,
    images: undefined,
    rawUsage: structuredClone(usage),
    ...more,
  };
}

function run(attempts: Served[], billed: Billed[], more: Partial<ComparisonInput> = {}): Comparison {
  const served = { attempts, complete: true };
  return compare({ served, billed, simulated: new Set(["openai"]), crashes: [], ...more });
}

test("a request billed by the provider's usage counts as exact", () => {
  const none = { byEstimate: 0, lostToCrash: 0, unbilled: 0, unserved: 0, violations: [] };
  assert.deepEqual(run([attempt()], [bill()]), { byCount: 1, ...none });
});

test("the bill of a retried request is compared with its successful attempt", () => {
  const failed = attempt({ status: 500, usage: undefined });
  assert.equal(run([failed, attempt()], [bill()]).byCount, 1);
});

test("the comparison finds a request that was served but not billed", () => {
  assert.match(run([attempt()], []).violations[0] ?? "", /r1 was served but is not in the ledger/);
});

test("the comparison finds a request that was billed but not served", () => {
  assert.match(run([], [bill()]).violations[0] ?? "", /r1 is billed 5 nano-USD but was not served/);
  assert.deepEqual(run([], [bill({ upstream: "real" })]).violations, []);
});

test("the comparison finds a bill whose usage differs from the provider's", () => {
  const wrong = bill({ rawUsage: { ...usage, completion_tokens: 13 } });
  assert.match(run([attempt()], [wrong]).violations[0] ?? "", /r1 is billed for .*13.*; the provider reported .*12/);
  assert.match(run([attempt()], [bill({ rawUsage: undefined })]).violations[0] ?? "", /its bill has no usage/);
});

test("a crash excuses only the missing bills of responses that the process had not started to send", () => {
  const crashes = [{ process: "chat", atMs: 1_400, how: "SIGKILL" }];
  assert.equal(run([attempt()], [], { crashes }).lostToCrash, 1);
  const later = attempt({ startedAtMs: 10_000, endedAtMs: 10_100 });
  assert.equal(run([later], [], { crashes }).violations.length, 1);
  const of = (process: string, atMs: number) => run([attempt()], [], { crashes: [{ process, atMs, how: "SIGKILL" }] });
  assert.equal(of("chat-2", 11_400).lostToCrash, 1, "its journal record was waiting for the disk");
  assert.equal(of("chat-2", 11_600).unbilled, 1);
  assert.equal(of("mongod", 1_400).unbilled, 1, "mongod calls no provider");
});

test("an interrupted stream is billed by estimate", () => {
  const cut = attempt({ usage: undefined, outcome: "disconnected", charged: "made" });
  assert.equal(run([cut], [bill({ rawUsage: undefined, outcome: Outcome.DISCONNECTED })]).byEstimate, 1);
});

test("a request split into several calls is billed once for the usage of each call", () => {
  const counts = [{ total_tokens: 7 }, { total_tokens: 7 }, { total_tokens: 9 }];
  const calls = [...counts].reverse().map((each) => attempt({ usage: each }));
  const failed = attempt({ status: 500, usage: undefined });
  assert.equal(run([...calls, failed], [bill({ rawUsage: counts })]).byCount, 1);
  for (const wrong of [counts.slice(1), [...counts, { total_tokens: 7 }], []])
    assert.equal(run(calls, [bill({ rawUsage: wrong })]).violations.length, 1, JSON.stringify(wrong));
});

test("the images billed for a model that reports no usage are compared with the images generated", () => {
  const made = attempt({ usage: undefined, images: 2 });
  const uncounted = { rawUsage: undefined, images: 2 };
  assert.equal(run([made], [bill(uncounted)]).byCount, 1);
  assert.match(
    run([made], [bill({ ...uncounted, images: 3 })]).violations[0] ?? "",
    /billed for 3 images; the provider generated 2/,
  );
  assert.match(run([made], []).violations[0] ?? "", /was served but is not in the ledger/);
});

test("the comparison finds a request whose client disconnected after the provider received it and paid nothing", () => {
  const free = bill({ costNanoUsd: 0n, rawUsage: undefined, outcome: Outcome.FAILED, status: 499 });
  const left = attempt({ usage: undefined, outcome: "disconnected", status: 0, charged: "made" });
  for (const one of [left, attempt()]) {
    assert.match(run([one], [free]).violations[0] ?? "", /r1 costs nothing, although its client disconnected/);
  }
  assert.deepEqual(run([attempt({ usage: undefined, status: 500, charged: "nothing" })], [free]).violations, []);
});

test("the comparison finds an estimate for a provider that charges in full after a disconnect, unless a gateway process died", () => {
  const left = attempt({ usage: undefined, outcome: "disconnected" });
  const estimate = bill({ rawUsage: undefined, outcome: Outcome.DISCONNECTED });
  assert.match(run([left], [estimate]).violations[0] ?? "", /is billed by estimate after its client disconnected/);
  assert.equal(run([{ ...left, charged: "made" }], [estimate]).byEstimate, 1);
  const crashes = [{ process: "chat", atMs: 1_400, how: "SIGKILL" }];
  assert.equal(run([left], [estimate], { crashes }).byEstimate, 1);
});

test("the comparison finds a failed task that costs nothing although its provider charges for it", () => {
  const task = (polls: number) => ({ id: "t1", polls });
  const made = attempt({ usage: undefined, charged: undefined, task: task(0) });
  const polled = attempt({ charged: undefined, task: task(1) });
  const free = bill({ outcome: Outcome.FAILED, costNanoUsd: 0n, rawUsage: undefined });
  assert.match(run([made, polled], [free]).violations[0] ?? "", /r1 costs nothing, although the provider charges/);
  const strangers = attempt({ charged: undefined, task: { id: "t2", polls: 1 } });
  assert.deepEqual(run([made, strangers], [free]).violations, []);
  assert.deepEqual(run([made, { ...polled, usage: undefined }], [free]).violations, []);
  assert.deepEqual(run([made, polled], [bill({ outcome: Outcome.FAILED })]).violations, []);
});
