import assert from "node:assert/strict";
import type { Metering } from "./metering.ts";
import type { Store } from "./store.ts";
import type { Truth } from "./truth.ts";

interface Books {
  readonly store: Store;
  readonly truth: Truth;
  readonly metering: Metering;
}

/** Compares ledger and usage with the truth, when nothing is in flight any more. */
export function compareBooks({ store, truth, metering }: Books): void {
  const bills = store.bills();
  for (const requestId of new Set([...truth.requests.keys(), ...bills.keys()]))
    truth.check(requestId, bills.get(requestId));
  const cost = [...bills.values()].reduce((sum, one) => sum + one, 0n);
  assert.equal(metering.requests, bills.size, "the usage counts as many requests as the ledger");
  assert.equal(metering.costNanoUsd, cost, "the usage costs as much as the ledger says");
  const { charged, writtenOff } = store.money;
  assert.equal(charged + writtenOff, cost, "what was charged, at once or by a top-up, and what is owed are all costs");
  assert.deepEqual(store.audit(), []);
}
