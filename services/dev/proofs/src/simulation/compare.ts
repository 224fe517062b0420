import assert from "node:assert/strict";
import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import type { Metering } from "./metering.ts";
import type { Store } from "./store.ts";
import type { Truth } from "./truth.ts";

interface Books {
  readonly store: Store;
  readonly truth: Truth;
  readonly metering: Metering;
}

/** The billed amount by request id. */
function billsOf(entries: readonly Entry[]): Map<string, bigint> {
  const bills = new Map<string, bigint>();
  for (const { kind, requestId, chargedNanoUsd, writtenOffNanoUsd } of entries) {
    if (kind !== "settle") continue;
    assert.ok(!bills.has(requestId), `${requestId} is billed twice`);
    bills.set(requestId, chargedNanoUsd + writtenOffNanoUsd);
  }
  return bills;
}

/** Compares ledger and usage with the truth, when nothing is in flight. */
export function compareBooks({ store, truth, metering }: Books): void {
  const bills = billsOf(store.entries);
  for (const requestId of new Set([...truth.requests.keys(), ...bills.keys()]))
    truth.check(requestId, bills.get(requestId));
  const cost = [...bills.values()].reduce((sum, one) => sum + one, 0n);
  assert.equal(metering.requests, bills.size, "usage and ledger have the same number of requests");
  assert.equal(metering.costNanoUsd, cost, "usage and ledger have the same cost");
  const { charged, writtenOff } = store.money;
  assert.equal(charged + writtenOff, cost, "charges and write-offs add up to all costs");
  assert.deepEqual(store.audit(), []);
  store.checkCounts();
}
