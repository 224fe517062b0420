import assert from "node:assert/strict";
import { test } from "node:test";
import { followsNewest, pendingRows } from "./live-list.ts";

const id = (row: string): string => row;

test("only rows above the first shown one are pending", () => {
  assert.deepEqual(pendingRows(["d", "c", "b"], ["b", "a"], id), { rows: ["d", "c"], hasGap: false });
  assert.deepEqual(pendingRows(["b", "a"], ["b", "a"], id), { rows: [], hasGap: false });
});

test("a newest page without a shown row leaves a gap, unless no row is shown", () => {
  assert.deepEqual(pendingRows(["z", "y"], ["b", "a"], id), { rows: ["z", "y"], hasGap: true });
  assert.deepEqual(pendingRows(["z", "y"], [], id), { rows: ["z", "y"], hasGap: false });
});

test("new rows wait while rows are pointed at or more pages are loaded, but not in an empty list", () => {
  const page = { data: ["a"], has_more: false, next_cursor: null };
  assert.ok(followsNewest([page], false));
  assert.ok(!followsNewest([page], true));
  assert.ok(!followsNewest([page, page], false));
  assert.ok(followsNewest([{ ...page, data: [] }], true));
  assert.ok(!followsNewest(undefined, false));
});
