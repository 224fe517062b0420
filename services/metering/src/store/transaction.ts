import { setTimeout as sleep } from "node:timers/promises";
import { endAbandonedTransactions } from "@uag/mongo/abandoned-transactions.ts";
import type { Connection, mongo } from "mongoose";
import { isPassing } from "./connection.ts";

const tries = 8;
const mostRestMs = 100;

/**
 * Runs `work` in one transaction (snapshot reads, majority commit), a few times over when another one is in the way.
 * @param work gets true when it runs again
 * @throws the last try's error; whether it was committed may be unknown, so callers repeat what is idempotent
 */
export async function inTransaction(
  connection: Connection,
  work: (session: mongo.ClientSession, again: boolean) => Promise<void>,
): Promise<void> {
  for (let left = tries; ; left--) {
    try {
      return await attempt(connection, (session) => work(session, left < tries));
    } catch (error) {
      if (left === 1 || !isPassing(error)) throw error;
      if (left <= tries / 2) await endAbandoned(connection);
      await sleep(Math.random() * mostRestMs);
    }
  }
}

async function attempt(connection: Connection, work: (session: mongo.ClientSession) => Promise<void>): Promise<void> {
  await using session = await connection.startSession();
  session.startTransaction({
    readConcern: { level: "snapshot" },
    writeConcern: { w: "majority", j: true },
    readPreference: "primary",
  });
  try {
    await work(session);
    await session.commitTransaction();
  } catch (error) {
    // The first error is the one worth telling; the server ends a transaction that nobody ends.
    if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
    throw error;
  }
}

/** Those of killed metering processes: the server would keep them, and the roll-ups they wrote to, for a minute. */
async function endAbandoned(connection: Connection): Promise<void> {
  const owner = { service: "metering", database: connection.name };
  await endAbandonedTransactions(connection.getClient().db("admin"), owner);
}
