import assert from "node:assert/strict";
import { test } from "node:test";
import { seededInt } from "@uag/harness/testing/seeded-random";
import { Circuit } from "./circuit.ts";

function stage() {
  let now = 1_000_000;
  const circuit = new Circuit();
  /** Calls one after the other, each of which succeeds or fails. */
  const call = (results: string): void => {
    for (const result of results) {
      const began = circuit.began(now);
      if (result === "f") circuit.failed(began, now);
      else circuit.succeeded(began, now);
      circuit.ended(began);
    }
  };
  return {
    circuit,
    call,
    now: () => now,
    state: () => circuit.stateAt(now),
    openForMs: () => Math.max(0, circuit.availableFrom(now) - now),
    pass: (ms: number): void => {
      now += ms;
    },
  };
}

test("a circuit opens when half of the calls of 30 seconds failed, of at least 20, and not before", () => {
  const few = stage();
  few.call("f".repeat(19));
  assert.equal(few.state(), "closed");
  few.call("f");
  assert.deepEqual([few.state(), few.openForMs()], ["open", 10_000]);
  const some = stage();
  some.call(`${"s".repeat(20)}${"f".repeat(19)}`);
  assert.equal(some.state(), "closed");
  some.call("f");
  assert.equal(some.state(), "open");
});

test("calls that are older than 30 seconds do not count", () => {
  const { call, pass, state } = stage();
  call("f".repeat(19));
  pass(33_000);
  call("f".repeat(19));
  assert.equal(state(), "closed");
  for (let i = 0; i < 300; i++) {
    call(i % 3 === 0 ? "f" : "ss");
    pass(500);
  }
  assert.equal(state(), "closed", "a third of the calls fails");
});

test("a half-open circuit admits three probes at once, closes after three successes and opens again at a failure, for longer", () => {
  const { circuit, call, pass, state, now, openForMs } = stage();
  call("f".repeat(20));
  for (const nextMs of [20_000, 40_000, 60_000, 60_000]) {
    pass(openForMs());
    assert.equal(state(), "half_open");
    assert.deepEqual([circuit.availableFrom(now()), openForMs()], [0, 0]);
    call("sf");
    assert.deepEqual([state(), openForMs()], ["open", nextMs]);
  }
  pass(60_000);
  const open = [1, 2, 3].map(() => circuit.began(now()));
  assert.ok(circuit.availableFrom(now()) > now(), "all probes are under way");
  const late = circuit.began(now());
  circuit.failed(late, now());
  assert.equal(state(), "half_open", "a last resort is no probe");
  for (const probe of open) {
    circuit.succeeded(probe, now());
    circuit.ended(probe);
  }
  assert.deepEqual([state(), circuit.availableFrom(now())], ["closed", 0]);
  call("f".repeat(20));
  assert.equal(openForMs(), 10_000);
});

test("a probe without a result is replaced, and results from before the circuit opened do not count", () => {
  const { circuit, call, pass, state, now } = stage();
  const early = circuit.began(now());
  call("f".repeat(20));
  circuit.failed(early, now());
  circuit.ended(early);
  pass(10_000);
  const probes = [1, 2, 3].map(() => circuit.began(now()));
  for (const probe of probes) circuit.ended(probe);
  assert.deepEqual([state(), circuit.availableFrom(now())], ["half_open", 0]);
  call("sss");
  assert.equal(state(), "closed");
});

test("whatever the order of results, there are never more than three probes and none is lost", () => {
  for (let seed = 0; seed < 300; seed++) {
    const random = seededInt(seed);
    const { circuit, state, now, pass } = stage();
    const open: { readonly began: number; readonly isProbe: boolean; readonly era: number }[] = [];
    let era = 0;
    let last = state();
    for (let step = 0; step < 400; step++) {
      pass(random(800));
      if (random(2) === 0) {
        const isProbe = state() === "half_open" && circuit.availableFrom(now()) === 0;
        open.push({ began: circuit.began(now()), isProbe, era });
      } else if (open.length > 0) {
        const [one] = open.splice(random(open.length), 1);
        const { began } = one ?? assert.fail();
        const result = random(6);
        if (result < 4) circuit.failed(began, now());
        else if (result < 5) circuit.succeeded(began, now());
        circuit.ended(began);
      }
      if (state() !== last && state() !== "half_open") era++;
      last = state();
      const probes = open.filter((each) => each.isProbe && each.era === era).length;
      assert.ok(probes <= 3, `seed ${seed}: ${probes} probes`);
    }
    for (const { began } of open) circuit.ended(began);
    pass(60_000);
    assert.ok(state() === "closed" || circuit.availableFrom(now()) === 0, `seed ${seed}`);
  }
});

test("a circuit opens, probes and closes by its provider's figures, from the next call", () => {
  const { circuit, call, state, openForMs, pass } = stage();
  circuit.settings = { failureShare: 1, minCalls: 2, windowMs: 1_000, openMs: 100, maxOpenMs: 150, probes: 1 };
  call("sff");
  assert.equal(state(), "closed");
  pass(1_100);
  call("ff");
  assert.deepEqual([state(), openForMs()], ["open", 100]);
  pass(100);
  call("f");
  assert.deepEqual([state(), openForMs()], ["open", 150]);
  pass(150);
  call("s");
  assert.equal(state(), "closed");
});
