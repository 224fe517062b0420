import assert from "node:assert/strict";
import { test } from "node:test";
import { createRefusals } from "./refusals.ts";

test("refuses a recently refused account with one read, until it has money or may get some back", async () => {
  let row = { available: 3n, held: 0n, writtenOff: 50n };
  const accounts = { findById: () => ({ lean: async () => row }) };
  const refusals = createRefusals({ accounts } as never, 50n);
  assert.equal(await refusals.still("a", 10n), undefined);
  refusals.note("a");
  assert.deepEqual(await refusals.still("a", 10n), {
    kind: "insufficient",
    available: 3n,
    held: 0n,
    budgetExceeded: false,
    owed: 0n,
  });
  assert.equal(await refusals.still("a", 3n), undefined);
  row = { available: 3n, held: 1n, writtenOff: 0n };
  assert.equal(await refusals.still("a", 10n), undefined);
  row = { available: 10n, held: 0n, writtenOff: 50n };
  assert.equal(await refusals.still("a", 10n), undefined);
  row = { available: 10n, held: 0n, writtenOff: 51n };
  assert.deepEqual(await refusals.still("a", 10n), {
    kind: "insufficient",
    available: 10n,
    held: 0n,
    budgetExceeded: false,
    owed: 51n,
  });
});
