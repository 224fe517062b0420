import assert from "node:assert/strict";
import { test } from "node:test";
import { faults, fund, scratch, startBilling } from "./harness.ts";

test("replicas that start concurrently on an empty database all come up and share one ledger", async () => {
  await using db = scratch();
  const replicas = await Promise.all(Array.from({ length: 3 }, () => startBilling(db.env)));
  try {
    const [one, two, three] = replicas;
    const accountId = await fund(one!, 5n);
    assert.equal((await two!.accounts.getAccount({ id: accountId })).availableNanoUsd, 5n);
    assert.deepEqual(await faults(three!), []);
  } finally {
    for (const replica of replicas) await replica[Symbol.asyncDispose]();
  }
});
