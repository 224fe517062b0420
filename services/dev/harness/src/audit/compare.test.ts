import assert from "node:assert/strict";
import { test } from "node:test";
import { Outcome, Pricing } from "@uag/proto/metering/v1/usage.ts";
import type { Billed } from "./billed.ts";
import { type Comparison, type ComparisonInput, compare } from "./compare.ts";
import type { Served } from "./served.ts";

const usage = { prompt_tokens: 9, completion_tokens: 12, details: { cached: 0 } };

function attempt(more: Partial<Served> = {}): Served {
  return {
    requestId: "r1",
    startedAtMs: 1_000,
    endedAtMs: 1_500,
    status: 200,
    usage,
    images: undefined,
    charged: "whole",
    outcome: "completed",
    ...more,
  };
}

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

test("a request billed by what the provider counted is exact", () => {
  const none = { byEstimate: 0, lostToCrash: 0, unbilled: 0, unserved: 0, violations: [] };
  assert.deepEqual(run([attempt()], [bill()]), { byCount: 1, ...none });
});

test("a retried request is held against the attempt that answered it", () => {
  const failed = attempt({ status: 500, usage: undefined });
  assert.equal(run([failed, attempt()], [bill()]).byCount, 1);
});

test("a request that was served and never billed is found", () => {
  assert.match(run([attempt()], []).violations[0] ?? "", /r1 was served and is not in the ledger/);
});

test("a request that was billed and never served is found", () => {
  assert.match(run([], [bill()]).violations[0] ?? "", /r1 is billed 5 nano-USD, and was never served/);
  assert.deepEqual(run([], [bill({ upstream: "real" })]).violations, []);
});

test("a bill for another count than the provider's is found", () => {
  const wrong = bill({ rawUsage: { ...usage, completion_tokens: 13 } });
  assert.match(run([attempt()], [wrong]).violations[0] ?? "", /r1 is billed for .*13.*; the provider counted .*12/);
  assert.match(run([attempt()], [bill({ rawUsage: undefined })]).violations[0] ?? "", /its bill has no count/);
});

test("what a dying process took with it before a byte was passed on is not owed, and nothing else is excused by it", () => {
  const crashes = [{ process: "chat", atMs: 1_400, how: "SIGKILL" }];
  assert.equal(run([attempt()], [], { crashes }).lostToCrash, 1);
  const later = attempt({ startedAtMs: 10_000, endedAtMs: 10_100 });
  assert.equal(run([later], [], { crashes }).violations.length, 1);
  const of = (process: string, atMs: number) => run([attempt()], [], { crashes: [{ process, atMs, how: "SIGKILL" }] });
  assert.equal(of("chat-2", 11_400).lostToCrash, 1, "its record waited for the disk");
  assert.equal(of("chat-2", 11_600).unbilled, 1);
  assert.equal(of("mongod", 1_400).unbilled, 1, "it calls no provider");
});

test("a stream that was broken off is billed by estimate", () => {
  const cut = attempt({ usage: undefined, outcome: "disconnected", charged: "made" });
  assert.equal(run([cut], [bill({ rawUsage: undefined, outcome: Outcome.DISCONNECTED })]).byEstimate, 1);
});

test("a request that was split is billed by the counts of all its calls, each once", () => {
  const counts = [{ total_tokens: 7 }, { total_tokens: 7 }, { total_tokens: 9 }];
  const calls = [...counts].reverse().map((each) => attempt({ usage: each }));
  const failed = attempt({ status: 500, usage: undefined });
  assert.equal(run([...calls, failed], [bill({ rawUsage: counts })]).byCount, 1);
  for (const wrong of [counts.slice(1), [...counts, { total_tokens: 7 }], []])
    assert.equal(run(calls, [bill({ rawUsage: wrong })]).violations.length, 1, JSON.stringify(wrong));
});

test("pictures of a model that reports no usage are held against what was made", () => {
  const made = attempt({ usage: undefined, images: 2 });
  const uncounted = { rawUsage: undefined, images: 2 };
  assert.equal(run([made], [bill(uncounted)]).byCount, 1);
  assert.match(
    run([made], [bill({ ...uncounted, images: 3 })]).violations[0] ?? "",
    /billed for 3 pictures; 2 were made/,
  );
  assert.match(run([made], []).violations[0] ?? "", /was served and is not in the ledger/);
});

test("a client that left when the provider had its request, and paid nothing, is found", () => {
  const free = bill({ costNanoUsd: 0n, rawUsage: undefined, outcome: Outcome.FAILED, status: 499 });
  const left = attempt({ usage: undefined, outcome: "disconnected", status: 0, charged: "made" });
  for (const one of [left, attempt()]) {
    assert.match(run([one], [free]).violations[0] ?? "", /r1 was left by its client when the provider had it/);
  }
  assert.deepEqual(run([attempt({ usage: undefined, status: 500, charged: "nothing" })], [free]).violations, []);
});

test("a provider that bills on when it is left has to be read to its count: an estimate for it is found, unless a process of ours died", () => {
  const left = attempt({ usage: undefined, outcome: "disconnected" });
  const estimate = bill({ rawUsage: undefined, outcome: Outcome.DISCONNECTED });
  assert.match(run([left], [estimate]).violations[0] ?? "", /charges all of it, and its bill is an estimate/);
  assert.equal(run([{ ...left, charged: "made" }], [estimate]).byEstimate, 1);
  const crashes = [{ process: "chat", atMs: 1_400, how: "SIGKILL" }];
  assert.equal(run([left], [estimate], { crashes }).byEstimate, 1);
});
