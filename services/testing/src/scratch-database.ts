import { newId } from "@uag/kit/ids.ts";
import { createConnection } from "mongoose";

/** A database of the real MongoDB that `npm test` starts; gone when it is disposed. */
export interface ScratchDatabase extends AsyncDisposable {
  readonly url: string;
  readonly database: string;
}

/**
 * Names a database for one test.
 * @throws {Error} when no MongoDB was started for the tests
 */
export function scratchDatabase(): ScratchDatabase {
  const url = process.env["TEST_MONGODB_URL"] ?? "";
  if (url === "")
    throw new Error('Set TEST_MONGODB_URL to a running replica set, or run "npm test", which starts one.');
  const database = `test_${newId("db").replaceAll(/[^A-Za-z0-9]/g, "")}`;
  return {
    url,
    database,
    async [Symbol.asyncDispose]() {
      const connection = await createConnection(url, { dbName: database }).asPromise();
      await connection.dropDatabase();
      await connection.close();
    },
  };
}
