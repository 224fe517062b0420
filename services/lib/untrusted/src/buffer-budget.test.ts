import assert from "node:assert/strict";
import { test } from "node:test";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { BufferBudget } from "./buffer-budget.ts";

const refusal = (error: unknown): boolean =>
  error instanceof GatewayError && error.httpStatus === 503 && error.retryAfterMs === 1_000;

test("never holds more than the process's limit, and released bytes are available again", () => {
  const budget = new BufferBudget({ totalBytes: 100, ownerBytes: 60 });
  const one = budget.open("one");
  one.take(60);
  const two = budget.open("two");
  two.take(40);
  assert.throws(() => budget.open("three").take(1), refusal);
  assert.equal(budget.held, 100);
  two.give(10);
  budget.open("three").take(10);
  one[Symbol.dispose]();
  one[Symbol.dispose]();
  assert.equal(budget.held, 40);
  assert.equal(budget.refused, 1);
});

test("limits one owner to its share over all its leases, and leaves the rest to others", () => {
  const budget = new BufferBudget({ totalBytes: 100, ownerBytes: 30 });
  using first = budget.open("poor");
  using second = budget.open("poor");
  first.take(20);
  assert.throws(() => second.take(11), refusal);
  assert.equal(second.held, 0);
  second.take(10);
  assert.equal(budget.heldBy("poor"), 30);
  using other = budget.open("rich");
  other.take(30);
  first.give(1_000);
  assert.equal(first.held, 0);
  assert.equal(budget.heldBy("poor"), 10);
});

test("forgets owners that hold nothing: random leases add up and end at zero", () => {
  const budget = new BufferBudget({ totalBytes: 10_000, ownerBytes: 2_000 });
  const leases: ReturnType<BufferBudget["open"]>[] = [];
  let state = 1;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % below;
  };
  for (let step = 0; step < 20_000; step++) {
    const kind = random(4);
    if (kind === 0) leases.push(budget.open(`owner ${random(20)}`));
    const lease = leases[random(leases.length)];
    if (kind === 1) {
      try {
        lease?.take(random(500));
      } catch (error) {
        assert.ok(refusal(error));
      }
    } else if (kind === 2) lease?.give(random(500));
    else if (kind === 3 && lease !== undefined) {
      lease[Symbol.dispose]();
      leases.splice(leases.indexOf(lease), 1);
    }
    assert.equal(
      budget.held,
      leases.reduce((sum, { held }) => sum + held, 0),
    );
  }
  for (const lease of leases) lease[Symbol.dispose]();
  assert.equal(budget.held, 0);
  for (let owner = 0; owner < 20; owner++) assert.equal(budget.heldBy(`owner ${owner}`), 0);
});

const never = new AbortController().signal;

test("a reservation waits for room, and is refused with a retry delay when there is none in time", async () => {
  const budget = new BufferBudget({ totalBytes: 100, ownerBytes: 100 }, 50);
  const first = budget.open("one");
  first.take(80);
  using second = budget.open("two");
  await assert.rejects(second.reserve(30, never), refusal);
  assert.equal(second.held, 0);
  const waiting = second.reserve(30, never);
  first.give(20);
  await waiting;
  assert.deepEqual([second.held, budget.held], [30, 90]);
  const left = AbortSignal.abort(new Error("left"));
  await assert.rejects(budget.open("three").reserve(30, left), /left/);
});

test("a reservation above one owner's share reserves that share", async () => {
  const budget = new BufferBudget({ totalBytes: 100, ownerBytes: 30 }, 10);
  using lease = budget.open("one");
  await lease.reserve(1_000, never);
  assert.equal(lease.held, 30);
});

test("growing leases that wait for each other all finish, one at a time exceeding the budget", async () => {
  const budget = new BufferBudget({ totalBytes: 100, ownerBytes: 100 }, 10);
  let most = 0;
  const grown = async (name: string): Promise<void> => {
    using lease = budget.open(name);
    for (let piece = 0; piece < 8; piece++) {
      await lease.grow(10, never);
      most = Math.max(most, budget.held);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all(["one", "two", "three", "four"].map(grown));
  assert.equal(budget.held, 0);
  assert.ok(most <= 180, `${most} bytes were held at once`);
});

test("small leases neither wait for large ones nor are refused because of them, and have a limit of their own", async () => {
  const kibi = 1_024;
  const budget = new BufferBudget({ totalBytes: 1_000 * kibi, ownerBytes: 1_000 * kibi, smallBytes: 100 * kibi }, 10);
  using large = budget.open("large");
  large.take(1_000 * kibi);
  using small = budget.open("small");
  small.take(40 * kibi);
  assert.equal(small.grow(24 * kibi, never), undefined, "no wait");
  assert.throws(() => small.take(1), refusal);
  using another = budget.open("another");
  await assert.rejects(another.reserve(65 * kibi, never), refusal);
  another.take(36 * kibi);
  assert.throws(() => budget.open("third").take(1), refusal);
  large.give(1_000 * kibi);
  small.take(600 * kibi);
  assert.equal(budget.held, 700 * kibi);
});
