import type { Connection } from "mongoose";

/** Our transactions send a statement every few milliseconds; one that has sent none for this long has lost its process. */
const idleMs = 1_000;
const everyMs = 250;

interface IdleSession {
  readonly lsid: { readonly id: unknown };
}

/** The name under which the server knows this database's billing connections. */
export function applicationName(database: string): string {
  return `billing/${database}`.slice(0, 128);
}

/**
 * Ends transactions that a killed billing process left open. The server itself would keep them, and the accounts they
 * have written to, for a minute (`transactionLifetimeLimitSeconds`). Ending one is always safe: it was not committed, and
 * should its process only have been paused, it runs the transaction again. Users may list and kill their own sessions
 * without any privilege. https://www.mongodb.com/docs/manual/reference/command/killSessions/
 * @returns a function that answers how many it ended; it looks at most four times a second.
 */
export function createUnblocker(connection: Connection): () => Promise<number> {
  let lastLook = Number.NEGATIVE_INFINITY;
  const mine = {
    type: "idleSession",
    appName: applicationName(connection.name),
    "transaction.timeInactiveMicros": { $gt: idleMs * 1_000 },
  };
  return async () => {
    if (performance.now() - lastLook < everyMs) return 0;
    lastLook = performance.now();
    const admin = connection.getClient().db("admin");
    const sessions = await admin
      .aggregate<IdleSession>(
        [{ $currentOp: { allUsers: false, idleSessions: true } }, { $match: mine }, { $project: { lsid: 1 } }],
        // The ids must go back as the UUIDs they are.
        { promoteBuffers: false },
      )
      .toArray();
    if (sessions.length === 0) return 0;
    await admin.command({ killSessions: sessions.map(({ lsid }) => ({ id: lsid.id })) });
    return sessions.length;
  };
}
