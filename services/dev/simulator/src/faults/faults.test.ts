import assert from "node:assert/strict";
import { test } from "node:test";
import { AttemptCounter } from "./attempts.ts";
import { UnknownFault } from "./catalogue.ts";
import { faultsFromHeaders, faultsFromModel, faultsFromText } from "./parse.ts";
import { RateWindows } from "./rate-windows.ts";
import { FaultRules, ruleSchema } from "./rules.ts";

test("parses the same faults from a model suffix, a header and a text", () => {
  const expected = { slow: 50, crlf: 1 };
  assert.deepEqual(faultsFromModel("gpt-5-mini--sim-slow-50--sim-crlf"), { model: "gpt-5-mini", faults: expected });
  assert.deepEqual(faultsFromHeaders({ "x-sim-slow": "50", "x-sim-crlf": "1", accept: "*" }), expected);
  assert.deepEqual(faultsFromText("slow=50, crlf"), expected);
});

test("distinguishes a name from one that is its prefix", () => {
  assert.deepEqual(faultsFromModel("m--sim-reset-chunks-3").faults, { "reset-chunks": 3 });
  assert.deepEqual(faultsFromModel("m--sim-reset-3").faults, { reset: 3 });
  assert.deepEqual(faultsFromModel("m--sim-huge-chunk").faults, { "huge-chunk": 16 });
});

test("rejects an unknown fault and a value that is not a number", () => {
  assert.throws(() => faultsFromModel("m--sim-sloow-5"), UnknownFault);
  assert.throws(() => faultsFromHeaders({ "x-sim-slow": "fast" }), UnknownFault);
  assert.throws(() => faultsFromText("slow=-1"), UnknownFault);
});

test("a rule hits matching requests, as often as its count", () => {
  const rules = new FaultRules();
  const match = { provider: "openai", model: "gpt-4*", path: "/openai/*", count: 2 };
  rules.add(ruleSchema.parse({ match, faults: { status: 500 } }));
  const target = { provider: "openai", path: "/openai/v1/chat/completions", model: "gpt-4o", key: "sk-1" };
  assert.deepEqual(rules.apply({ ...target, model: "o3" }), {});
  assert.deepEqual(rules.apply({ ...target, model: undefined }), {});
  assert.deepEqual(
    [rules.apply(target), rules.apply(target), rules.apply(target)],
    [{ status: 500 }, { status: 500 }, {}],
  );
  assert.deepEqual(
    rules.list().map(({ hits, left }) => ({ hits, left })),
    [{ hits: 2, left: 0 }],
  );
});

test("a rule can hit one key, and a rate is counted for each key in its window", () => {
  const rules = new FaultRules();
  rules.add(ruleSchema.parse({ match: { key: "sk-1" }, faults: { rate: 2, "rate-ms": 60_000 } }));
  const target = { provider: "openai", path: "/", model: "m" };
  assert.deepEqual(rules.apply({ ...target, key: "sk-2" }), {});
  const faults = rules.apply({ ...target, key: "sk-1" });
  const windows = new RateWindows();
  const taken = [1, 2, 3].map(() => windows.take("sk-1", faults));
  assert.deepEqual(
    taken.map(({ remaining, over }) => ({ remaining, over })),
    [
      { remaining: 1, over: false },
      { remaining: 0, over: false },
      { remaining: 0, over: true },
    ],
  );
  assert.equal(windows.take("sk-2", faults).remaining, 1);
});

test("a probability hits about its share, and the same attempts for the same seed", () => {
  const hits = (seed: number) => {
    const rules = new FaultRules();
    rules.add(ruleSchema.parse({ match: { probability: 0.3, seed }, faults: { status: 500 } }));
    return Array.from(
      { length: 1000 },
      () => rules.apply({ provider: "x", path: "/", model: "m", key: undefined }).status === 500,
    );
  };
  assert.deepEqual(hits(1), hits(1));
  assert.notDeepEqual(hits(1), hits(2));
  const share = hits(1).filter(Boolean).length;
  assert.ok(share > 240 && share < 360);
});

test("times affects only the first attempts of a request", () => {
  const attempts = new AttemptCounter();
  const faults = { status: 503, times: 2 };
  const hit = ["a", "a", "b", "a"].map((digest) => attempts.faultsOf(faults, digest).status);
  assert.deepEqual(hit, [503, 503, 503, undefined]);
});

test("in hostile mode each attempt has faults of its own, the same for the same seed and request", () => {
  const faultsOf = (hostile: number): string[] => {
    const attempts = new AttemptCounter();
    return Array.from({ length: 50 }, () => JSON.stringify(attempts.faultsOf({ hostile }, "a")));
  };
  assert.deepEqual(faultsOf(1), faultsOf(1));
  assert.notDeepEqual(faultsOf(1), faultsOf(2));
  assert.ok(new Set(faultsOf(1)).size > 10);
});
