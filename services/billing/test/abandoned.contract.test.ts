import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "@uag/harness/testing/wait-for";
import { connectBooks } from "@uag/ledger/documents/connection";
import { createUnblocker } from "@uag/mongo/abandoned-transactions";
import { scratch } from "./harness.ts";

const silentMs = 1_300;

/** A billing process that opens a transaction, writes in it, and sends nothing more. */
function silentProcess(options: { url: string; database: string }) {
  const program = `
    const { connectBooks } = await import(${JSON.stringify(import.meta.resolve("@uag/ledger/documents/connection"))});
    const connection = await connectBooks(${JSON.stringify(options)});
    const session = await connection.startSession();
    session.startTransaction();
    await connection.collection("things").insertOne({ a: 1 }, { session });
    console.log("open");
    setInterval(() => {}, 1000);`;
  return spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
}

test("does not abort an idle transaction of a busy process, and aborts that of a killed process", async () => {
  await using db = scratch();
  const options = { url: db.env["MONGODB_URL"] as string, database: db.env["MONGODB_DATABASE"] as string };
  const connection = await connectBooks(options);
  // First the collection: it cannot be created during a transaction that writes to it.
  await connection.createCollection("things");
  const child = silentProcess(options);
  try {
    await once(child.stdout, "data");
    await sleep(silentMs);
    assert.equal(await createUnblocker(connection, "billing")(), 0);
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
    const unblock = createUnblocker(connection, "billing");
    let ended = 0;
    await waitFor(
      async () => {
        ended = await unblock();
        return ended > 0;
      },
      { what: "its transaction's end" },
    );
    assert.equal(ended, 1);
  } finally {
    child.kill("SIGKILL");
    await connection.close();
  }
});
