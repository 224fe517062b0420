import { newId } from "@uag/runtime/ids";
import { createConnection } from "mongoose";
import { engineUrl } from "./engine-url.ts";

/** A database of the real MongoDB that `npm test` starts; dropped when it is disposed. */
export interface ScratchDatabase extends AsyncDisposable {
  readonly url: string;
  readonly database: string;
}

/**
 * Names a database for one test.
 * @throws {Error} when no MongoDB was started for the tests
 */
export function scratchDatabase(): ScratchDatabase {
  const url = engineUrl("TEST_MONGODB_URL");
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
