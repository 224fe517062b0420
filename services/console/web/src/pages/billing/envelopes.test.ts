import assert from "node:assert/strict";
import { test } from "node:test";
import { inTree } from "./envelopes.ts";

const shape = (rows: readonly (readonly [id: string, parent: string | null])[]) =>
  inTree(rows.map(([id, parent]) => ({ id, parent }))).map(({ of, depth }) => [of.id, depth]);

test("envelopes are listed below the ones that they are within, and otherwise keep their order", () => {
  const rows = [
    ["tool", "worker"],
    ["second", null],
    ["worker", "run"],
    ["reviewer", "run"],
    ["run", null],
  ] as const;
  assert.deepEqual(shape(rows), [
    ["second", 0],
    ["run", 0],
    ["worker", 1],
    ["tool", 2],
    ["reviewer", 1],
  ]);
});

test("an envelope whose parent is not listed is shown at the top, with those within it", () => {
  const rows = [
    ["tool", "worker"],
    ["worker", "run"],
  ] as const;
  assert.deepEqual(shape(rows), [
    ["worker", 0],
    ["tool", 1],
  ]);
});
