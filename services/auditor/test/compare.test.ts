import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReportedCost, ReportedUsage } from "@uag/providers/reports/types";
import { compareDay, type DayInput } from "../src/reconcile/compare.ts";
import type { Ours, Quantity, Spent } from "../src/reconcile/ours.ts";
import { costUnit, coverageOf } from "../src/reconcile/result.ts";

const day = "2026-11-23";
const usd = 10n ** 18n;

const used = (quantity: bigint, more: Partial<Quantity> = {}): Quantity => {
  const names = { model: "m", operation: "chat.completions", unit: "input_tokens" };
  return { startDay: day, endDay: day, ...names, quantity, ...more };
};
const paid = (costNanoUsd: bigint, more: Partial<Spent> = {}): Spent => {
  return { startDay: day, endDay: day, model: "m", costNanoUsd, requests: 1n, estimated: 0n, ...more };
};
const ours = (more: Partial<Ours> = {}): Ours => ({ quantities: [], spent: [], archived: new Set(), ...more });
const usage = (quantity: bigint, unit = "input_tokens"): ReportedUsage[] => [
  { model: "m", units: new Map([[unit, quantity]]) },
];

function compared(more: Partial<DayInput>) {
  return compareDay({
    provider: "p",
    day,
    ours: ours(),
    usage: [],
    costs: [],
    reports: { unitReported: (_, unit) => (unit === "seconds" ? undefined : unit), modelReported: (model) => model },
    tolerance: { ppm: 5_000n, settledAfterMs: 86_400_000 },
    nowMs: Date.parse("2026-11-26T00:00:00Z"),
    ...more,
  });
}

const cellOf = (result: ReturnType<typeof compared>, unit: string) => result.cells.find((cell) => cell.unit === unit);

test("tolerates a difference up to the percentage of the larger figure, and not beyond", () => {
  const of = (theirs: bigint) => compared({ ours: ours({ quantities: [used(1_000n)] }), usage: usage(theirs) }).state;
  assert.deepEqual(
    [of(1_000n), of(1_005n), of(995n), of(1_006n), of(994n)],
    ["agrees", "agrees", "agrees", "drifts", "drifts"],
  );
});

test("lets a request that ran over midnight count on either day", () => {
  const over = used(400n, { startDay: "2026-11-22", endDay: day });
  const next = used(70n, { startDay: day, endDay: "2026-11-24" });
  const quantities = [used(1_000n), over, next];
  for (const theirs of [1_000n, 1_400n, 1_470n, 1_070n])
    assert.equal(compared({ ours: ours({ quantities }), usage: usage(theirs) }).state, "agrees", String(theirs));
  assert.equal(compared({ ours: ours({ quantities }), usage: usage(2_000n) }).state, "drifts");
});

test("reports usage that only one side has as drift", () => {
  assert.equal(compared({ usage: usage(9n) }).state, "drifts");
  assert.equal(compared({ ours: ours({ quantities: [used(9n)] }) }).state, "drifts");
});

test("does not compare units that one side does not count", () => {
  const quantities = [used(9n, { unit: "seconds" })];
  const result = compared({ ours: ours({ quantities }), usage: usage(3n, "clips") });
  assert.equal(result.state, "agrees");
  assert.deepEqual(cellOf(result, "clips"), {
    model: "m",
    unit: "clips",
    ours: null,
    theirs: 3n,
    slack: 0n,
    state: "not_comparable",
  });
  const mixed = compared({ ours: ours({ quantities: [...quantities, used(1n)] }), usage: usage(3n, "clips") });
  assert.equal(mixed.state, "drifts", "a model that is counted alike is compared in every unit");
});

test("sums fractions of a nano-dollar before rounding, and tolerates that we round up", () => {
  const spent = [paid(4n, { requests: 3n })];
  const costs: ReportedCost[] = [1, 2, 3].map(() => ({ model: "m", attoUsd: 400_000_000n }));
  assert.equal(cellOf(compared({ ours: ours({ spent }), costs }), costUnit)?.theirs, 1n);
  assert.equal(compared({ ours: ours({ spent }), costs }).state, "agrees");
});

test("compares only the day's total where a cost belongs to no model", () => {
  const costs: ReportedCost[] = [
    { model: "m", attoUsd: usd },
    { model: undefined, attoUsd: usd },
  ];
  const result = compared({ ours: ours({ spent: [paid(2_000_000_000n)] }), costs });
  assert.equal(result.state, "agrees");
  assert.deepEqual(
    result.cells.map(({ model, state }) => [model, state]),
    [
      ["", "agrees"],
      ["m", "not_comparable"],
    ],
  );
});

test("a day is settled only some time after its end", () => {
  const at = (time: string) => compared({ nowMs: Date.parse(time) }).settled;
  assert.deepEqual([at("2026-11-24T23:59:59Z"), at("2026-11-25T00:00:00Z")], [false, true]);
});

test("a day of an archived month is unreadable", () => {
  const result = compared({ ours: ours({ archived: new Set([day]) }), usage: usage(9n) });
  assert.deepEqual([result.state, result.cells], ["unreadable", []]);
  assert.match(result.unreadable.join(), /2026-11 are archived/);
});

test("coverage is the part of the provider's figure that ours accounts for", () => {
  assert.equal(coverageOf({ ours: 995n, theirs: 1_000n }), 9_950n);
  assert.equal(coverageOf({ ours: 0n, theirs: 0n }), 10_000n);
  assert.equal(coverageOf({ ours: 1n, theirs: 0n }), null);
  assert.equal(coverageOf({ ours: null, theirs: 1n }), null);
});
