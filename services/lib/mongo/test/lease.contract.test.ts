import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "@uag/harness/testing/wait-for";
import { createConnection } from "mongoose";
import { collectionOf } from "../src/collection.ts";
import { type Lease, type LeaseDocument, startLeased, underLease } from "../src/lease.ts";

const connection = createConnection(process.env["TEST_MONGODB_URL"] ?? "", { dbName: `lease_${process.pid}` });
let leases = 0;
let lease: Lease;

before(async () => {
  await connection.asPromise();
});
after(async () => {
  await connection.dropDatabase();
  await connection.close();
});

const newLease = (): Lease => ({
  leases: collectionOf<LeaseDocument>(connection, "leases"),
  id: `lease-${++leases}`,
});

test("only one of many processes holds a lease at a time, by the database's clock", async () => {
  lease = newLease();
  const over = Promise.withResolvers<void>();
  const work = async (): Promise<string> => {
    await over.promise;
    return "done";
  };
  let refused = 0;
  const attempt = async (): Promise<string | undefined> => {
    const result = await underLease(lease, work);
    if (result === undefined) refused++;
    return result;
  };
  const all = Array.from({ length: 8 }, attempt);
  await waitFor(() => refused === 7, { what: "the refusals" });
  const real = Date.now;
  try {
    // A process whose clock is 400 days ahead does not take a lease that has not expired.
    Date.now = () => real() + 400 * 86_400_000;
    assert.equal(await underLease(lease, work), undefined);
  } finally {
    Date.now = real;
  }
  over.resolve();
  const results = await Promise.all(all);
  assert.equal(results.filter((result) => result === "done").length, 1);
  assert.equal(await underLease(lease, async () => "again"), "again");
});

test("releases its lease when it is stopped during its work", async () => {
  lease = newLease();
  const begun = Promise.withResolvers<void>();
  const failures: unknown[] = [];
  const running = startLeased(lease, {
    everyMs: 1,
    work: async (keep) => {
      begun.resolve();
      for (;;) {
        await keep();
        await sleep(5);
      }
    },
    failed: (error) => failures.push(error),
  });
  await begun.promise;
  assert.equal(await underLease(lease, async () => "taken"), undefined);
  await running[Symbol.asyncDispose]();
  assert.equal(await underLease(lease, async () => "taken"), "taken");
  assert.deepEqual(failures, []);
});
