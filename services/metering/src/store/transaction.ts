import { setTimeout as sleep } from "node:timers/promises";
import type { Connection, mongo } from "mongoose";
import { applicationName } from "./application.ts";
import { isPassing } from "./connection.ts";

const tries = 8;
const mostRestMs = 100;
/** Our transactions take milliseconds: one that has been silent for this long has lost its process. */
const abandonedMs = 1_000;

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

/**
 * Ends transactions that a killed metering process left open: the server would keep them, and the roll-ups they wrote to,
 * for a minute. It is safe: none of them was committed, and a process that only slept runs its own again.
 * https://www.mongodb.com/docs/manual/reference/command/killSessions/
 */
async function endAbandoned(connection: Connection): Promise<void> {
  const admin = connection.getClient().db("admin");
  const abandoned = {
    type: "idleSession",
    appName: applicationName(connection.name),
    "transaction.timeInactiveMicros": { $gt: abandonedMs * 1_000 },
  };
  const stages = [
    { $currentOp: { allUsers: false, idleSessions: true } },
    { $match: abandoned },
    { $project: { lsid: 1 } },
  ];
  // The ids must go back as the UUIDs they are.
  const sessions = await admin
    .aggregate<{ lsid: { id: unknown } }>(stages, {
      promoteBuffers: false,
      // The connection's own level is one that $currentOp refuses.
      readConcern: { level: "local" },
    })
    .toArray();
  if (sessions.length > 0) await admin.command({ killSessions: sessions.map(({ lsid }) => ({ id: lsid.id })) });
}
