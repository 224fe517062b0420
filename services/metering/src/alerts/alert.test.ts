import assert from "node:assert/strict";
import { test } from "node:test";
import { type AlertDocument, fullsAfter, isLow, monthOf, type Notice, openMonths, reached } from "./alert.ts";

const december = Date.UTC(2026, 11, 31, 23, 59);

function alertOf(more: Partial<AlertDocument> = {}): AlertDocument {
  const at = new Date(december);
  const terms = { name: "", monthlyNanoUsd: 3n, thresholds: [50, 80, 100], webhookUrl: "", emails: [] };
  return { _id: "alert_1", accountId: "acct_1", keyId: "", ...terms, createdAt: at, dueAt: at, notices: [], ...more };
}

test("a month begins and ends in UTC, also across the turn of a year", () => {
  const { name, start, end } = monthOf(december);
  assert.deepEqual(
    [name, start.toISOString(), end.toISOString()],
    ["2026-12", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
  );
});

test("evaluates a month, by its own amount, until the next month ends", () => {
  const alert = { createdAt: new Date(december), fulls: [{ month: "2026-12", nanoUsd: 7n }] };
  const months = (ms: number): unknown[] => openMonths(ms, alert).map(({ name, fullNanoUsd }) => [name, fullNanoUsd]);
  const january = ["2027-01", undefined];
  assert.deepEqual(months(december), [["2026-12", undefined]]);
  assert.deepEqual(months(december + 60_000), [["2026-12", 7n], january]);
  assert.deepEqual(months(Date.UTC(2027, 0, 31, 23)), [["2026-12", 7n], january]);
  assert.deepEqual(months(Date.UTC(2027, 1, 1)), [january, ["2027-02", undefined]]);
});

test("evaluates no month that ended before the alert was created", () => {
  const alert = { createdAt: new Date(Date.UTC(2027, 0, 1)) };
  assert.deepEqual(
    openMonths(Date.UTC(2027, 0, 2), alert).map(({ name }) => name),
    ["2027-01"],
  );
});

test("stores the amount of 100 % for two months", () => {
  const november = fullsAfter([], "2026-11", 1n);
  const decemberFulls = fullsAfter(fullsAfter(november, "2026-12", 2n), "2026-12", 3n);
  assert.deepEqual(decemberFulls, [
    { month: "2026-11", nanoUsd: 1n },
    { month: "2026-12", nanoUsd: 3n },
  ]);
  assert.deepEqual(fullsAfter(decemberFulls, "2027-01", 4n), [
    { month: "2026-12", nanoUsd: 3n },
    { month: "2027-01", nanoUsd: 4n },
  ]);
});

test("a threshold is reached at exactly its share of the amount, and not a nano-dollar below", () => {
  const at = (spentNanoUsd: bigint): number[] =>
    reached(alertOf(), monthOf(december), { fullNanoUsd: 1_000n, spentNanoUsd });
  assert.deepEqual(at(499n), []);
  assert.deepEqual(at(500n), [50]);
  assert.deepEqual(at(999n), [50, 80]);
  assert.deepEqual(at(1_000n), [50, 80, 100]);
});

test("repeats a notification only in another month or for another amount", () => {
  const notice: Notice = { month: "2026-12", threshold: 50, monthlyNanoUsd: 3n, spentNanoUsd: 2n, at: new Date() };
  const alert = alertOf({ notices: [notice] });
  const next = monthOf(december + 60_000);
  const of = (fullNanoUsd: bigint) => ({ fullNanoUsd, spentNanoUsd: 2n });
  assert.deepEqual(reached(alert, monthOf(december), of(3n)), []);
  assert.deepEqual(reached(alert, next, of(3n)), [50]);
  assert.deepEqual(reached(alert, monthOf(december), of(4n)), [50]);
});

test("a key without a budget never reaches a threshold", () => {
  assert.deepEqual(reached(alertOf(), monthOf(december), { fullNanoUsd: 0n, spentNanoUsd: 2n }), []);
});

test("reports a balance below its amount once per amount and top-up", () => {
  const balance = { leftNanoUsd: 4n, toppedUpNanoUsd: 10n };
  const low = alertOf({ belowNanoUsd: 5n });
  assert.equal(isLow(low, balance), true);
  assert.equal(isLow(low, { ...balance, leftNanoUsd: 5n }), false);
  const at = new Date();
  const notice = { month: "2026-12", threshold: 0, monthlyNanoUsd: 5n, spentNanoUsd: 6n, balance, at };
  const reported = { ...low, notices: [notice] };
  assert.equal(isLow(reported, { ...balance, leftNanoUsd: 1n }), false);
  assert.equal(isLow(reported, { leftNanoUsd: 4n, toppedUpNanoUsd: 12n }), true);
  assert.equal(isLow({ ...reported, belowNanoUsd: 6n }, balance), true);
});
