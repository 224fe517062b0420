import assert from "node:assert/strict";
import { test } from "node:test";
import { createConnection } from "mongoose";
import { collectionOf } from "../src/collection.ts";
import { refuseLongSearch } from "../src/long-search.ts";

const limit = { maxTimeMS: 50, remedy: "Choose a shorter period.", param: "from" };

test("a search beyond its time limit is refused with a remedy, any other error is passed on", async () => {
  const connection = await createConnection(process.env["TEST_MONGODB_URL"] ?? "", {
    dbName: `search_${process.pid}`,
  }).asPromise();
  try {
    const rows = collectionOf<{ _id: number }>(connection, "rows");
    await rows.insertOne({ _id: 1 });
    const slow = rows.find({ $where: "sleep(5000) || true" }, { maxTimeMS: limit.maxTimeMS }).toArray();
    await assert.rejects(slow.catch(refuseLongSearch(limit)), {
      code: "invalid_request",
      param: "from",
      message: "The search did not end within 0.05 s. Choose a shorter period.",
    });
    const invalid = rows.find({ $unknown: 1 } as object).toArray();
    await assert.rejects(invalid.catch(refuseLongSearch(limit)), /unknown top level operator/);
  } finally {
    await connection.dropDatabase();
    await connection.close();
  }
});
