import assert from "node:assert/strict";
import { test } from "node:test";
import { type AlertDocument, isLow, monthOf, type Notice, openMonths, reached } from "./alert.ts";

const december = Date.UTC(2026, 11, 31, 23, 59);

function alertOf(more: Partial<AlertDocument> = {}): AlertDocument {
  const at = new Date(december);
  const terms = { name: "", monthlyNanoUsd: 3n, thresholds: [50, 80, 100], webhookUrl: "", emails: [] };
  return { _id: "alert_1", accountId: "acct_1", keyId: "", ...terms, createdAt: at, dueAt: at, notices: [], ...more };
}

test("a month begins and ends with UTC's, across the turn of a year", () => {
  const { name, start, end } = monthOf(december);
  assert.deepEqual(
    [name, start.toISOString(), end.toISOString()],
    ["2026-12", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
  );
});

test("what is settled within an hour after a month's end is still reported in that month", () => {
  const names = (ms: number): string[] => openMonths(ms).map(({ name }) => name);
  assert.deepEqual(names(december), ["2026-12"]);
  assert.deepEqual(names(december + 60_000), ["2026-12", "2027-01"]);
  assert.deepEqual(names(december + 3_661_000), ["2027-01"]);
});

test("a threshold is reached by exactly its part of the amount, and not by a nano-dollar less", () => {
  const at = (spentNanoUsd: bigint): number[] =>
    reached(alertOf(), monthOf(december), { fullNanoUsd: 1_000n, spentNanoUsd });
  assert.deepEqual(at(499n), []);
  assert.deepEqual(at(500n), [50]);
  assert.deepEqual(at(999n), [50, 80]);
  assert.deepEqual(at(1_000n), [50, 80, 100]);
});

test("what was reported is reported again only in another month, or of another amount", () => {
  const notice: Notice = { month: "2026-12", threshold: 50, monthlyNanoUsd: 3n, spentNanoUsd: 2n, at: new Date() };
  const alert = alertOf({ notices: [notice] });
  const next = monthOf(december + 60_000);
  const of = (fullNanoUsd: bigint) => ({ fullNanoUsd, spentNanoUsd: 2n });
  assert.deepEqual(reached(alert, monthOf(december), of(3n)), []);
  assert.deepEqual(reached(alert, next, of(3n)), [50]);
  assert.deepEqual(reached(alert, monthOf(december), of(4n)), [50]);
});

test("of a key without a budget no part is ever reached", () => {
  assert.deepEqual(reached(alertOf(), monthOf(december), { fullNanoUsd: 0n, spentNanoUsd: 2n }), []);
});

test("a balance is low below its amount, and is reported once for each amount and top-up", () => {
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
