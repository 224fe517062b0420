import { randomText } from "@uag/kit/ids.ts";
import type { Connection } from "mongoose";

/**
 * Our transactions send a statement every few milliseconds; one that has sent none for this long is
 * worth a look.
 */
const silentMicros = 1_000_000;
const maxNameLength = 128;
const lookEveryMs = 250;

interface OperationRow {
  readonly type: string;
  readonly appName: string;
  readonly lsid?: { readonly id: unknown };
  readonly transaction?: { readonly timeInactiveMicros: unknown };
}

/**
 * The name under which MongoDB knows this process's connections: no other process, dead or alive,
 * has the same.
 */
export function applicationName(service: string, database: string): string {
  return `${prefixOf(service, database)}${randomText(12)}`;
}

/** What the names of all processes of one service on one database begin with. */
function prefixOf(service: string, database: string): string {
  return `${service}/${database}`.slice(0, maxNameLength - 16).concat("#");
}

/**
 * Ends transactions that killed processes of a service left open. The server would keep them, and
 * the documents they have written to, for a minute (`transactionLifetimeLimitSeconds`). Only those
 * of processes that have no connection any more: one that is silent because its machine is busy is
 * alive, and to end its work would make it do all of it again. Users may list and kill their own
 * sessions without any privilege.
 * https://www.mongodb.com/docs/manual/reference/command/killSessions/
 * @returns how many were ended
 */
export async function endAbandonedTransactions(connection: Connection, service: string): Promise<number> {
  const admin = connection.getClient().db("admin");
  const begins = prefixOf(service, connection.name).replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const stages = [
    { $currentOp: { allUsers: false, idleConnections: true, idleSessions: true } },
    { $match: { appName: { $regex: `^${begins}` } } },
    { $project: { type: 1, appName: 1, lsid: 1, "transaction.timeInactiveMicros": 1 } },
  ];
  // The ids must go back as the UUIDs they are; $currentOp refuses the levels that connections are
  // set to.
  const options = { promoteBuffers: false, readConcern: { level: "local" as const } };
  const rows = await admin.aggregate<OperationRow>(stages, options).toArray();
  const alive = new Set(rows.filter(({ type }) => type === "op").map(({ appName }) => appName));
  const abandoned = rows.filter(
    ({ type, appName, transaction }) =>
      type === "idleSession" && !alive.has(appName) && Number(transaction?.timeInactiveMicros ?? 0) > silentMicros,
  );
  if (abandoned.length > 0) await admin.command({ killSessions: abandoned.map(({ lsid }) => ({ id: lsid?.id })) });
  return abandoned.length;
}

/**
 * Ends what killed processes of the service left open, and with it the hold on the documents they
 * have written to.
 * @returns a function that answers how many it ended; it looks at most four times a second
 */
export function createUnblocker(connection: Connection, service: string): () => Promise<number> {
  let lastLook = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - lastLook < lookEveryMs) return 0;
    lastLook = performance.now();
    return await endAbandonedTransactions(connection, service);
  };
}
