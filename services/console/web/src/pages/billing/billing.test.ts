import assert from "node:assert/strict";
import { test } from "node:test";
import type { Account, LedgerEntry } from "../../api/types.ts";
import { reservedOf, withBalance } from "./billing.ts";

const entry = (availableUsd: string, heldUsd: string): LedgerEntry =>
  ({ available_usd: availableUsd, held_usd: heldUsd }) as LedgerEntry;

test("a reservation and a release show their amount and leave the balance unchanged", () => {
  const entries = [entry("0.300000000", "-0.300000000"), entry("-0.500000000", "0.500000000")];
  const account = { available_usd: "9.800000000", held_usd: "0.200000000" } as Account;
  const rows = withBalance(entries, account);
  assert.deepEqual(entries.map(reservedOf), [300_000_000n, 500_000_000n]);
  assert.deepEqual(
    rows.map(({ change, balance }) => [change, balance]),
    [
      [0n, 10_000_000_000n],
      [0n, 10_000_000_000n],
    ],
  );
});
