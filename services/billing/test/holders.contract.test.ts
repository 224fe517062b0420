import assert from "node:assert/strict";
import { test } from "node:test";
import { connectBooks } from "@uag/ledger/documents/connection";
import { openStore, type Store } from "@uag/ledger/documents/store";
import { newId } from "@uag/runtime/ids";
import { createRegister } from "../src/grants/holders.ts";
import { scratch } from "./harness.ts";

/**
 * Keeps the journal busy with writes, so that a recent write is visible before it is in any
 * snapshot.
 */
async function writeContinuously({ connection }: Store, until: AbortSignal): Promise<void> {
  const line = async (): Promise<void> => {
    while (!until.aborted) await connection.collection("scribbles").insertOne({ at: new Date() });
  };
  await Promise.all(Array.from({ length: 24 }, line));
}

async function heartbeatSucceeds({ connection, holders }: Store, id: string): Promise<boolean> {
  await using session = await connection.startSession();
  session.startTransaction({ readConcern: { level: "snapshot" } });
  const found = await holders.exists({ _id: id, state: "alive" }).session(session);
  await session.commitTransaction();
  return found !== null;
}

test("concurrent first calls of a holder to any replica never find it fenced", async () => {
  await using db = scratch();
  const connection = await connectBooks({ url: db.env.MONGODB_URL ?? "", database: db.env.MONGODB_DATABASE ?? "" });
  const store = await openStore(connection);
  const over = new AbortController();
  const scribbled = writeContinuously(store, over.signal);
  const alive: boolean[] = [];
  for (let round = 0; round < 200; round++) {
    const id = newId("h");
    const replicas = Array.from({ length: 6 }, () => createRegister(store, 5_000));
    const calls = replicas.map(async (register) => {
      await register(id);
      alive.push(await heartbeatSucceeds(store, id));
    });
    await Promise.all(calls);
  }
  over.abort();
  await scribbled;
  await connection.close();
  assert.deepEqual([alive.length, alive.filter((is) => !is).length], [1_200, 0]);
});

test("concurrent first calls of a holder share one write; after a failed write the next call writes again", async (t) => {
  await using db = scratch();
  const where = { url: db.env.MONGODB_URL ?? "", database: db.env.MONGODB_DATABASE ?? "" };
  const connection = await connectBooks(where);
  t.after(() => connection.close());
  const store = await openStore(connection);
  const writes = t.mock.method(store.holders, "updateOne");
  const register = createRegister(store, 5_000);
  await Promise.all(Array.from({ length: 500 }, () => register("busy")));
  await register("busy");
  assert.equal(writes.mock.callCount(), 1);

  await connection.close();
  await assert.rejects(register("unlucky"));
  await connection.openUri(where.url, { dbName: where.database });
  await register("unlucky");
  assert.equal(await heartbeatSucceeds(store, "unlucky"), true);
});
