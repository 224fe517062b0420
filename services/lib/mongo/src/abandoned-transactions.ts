import { randomText } from "@uag/runtime/ids";
import type { Connection } from "mongoose";

/**
 * Our transactions send a statement every few milliseconds; one silent for this long is suspect.
 */
const silentMicros = 1_000_000;
const maxNameLength = 128;
const pollEveryMs = 250;

interface OperationRow {
  readonly type: string;
  readonly appName: string;
  readonly lsid?: { readonly id: unknown };
  readonly transaction?: { readonly timeInactiveMicros: unknown };
}

/**
 * The name under which MongoDB sees this process's connections; unique among all processes, dead or
 * alive.
 */
export function applicationName(service: string, database: string): string {
  return `${prefixOf(service, database)}${randomText(12)}`;
}

/** The common prefix of the names of all processes of one service on one database. */
function prefixOf(service: string, database: string): string {
  return `${service}/${database}`.slice(0, maxNameLength - 16).concat("#");
}

/**
 * Aborts transactions that killed processes of a service left open. The server would otherwise keep
 * them, and the documents they wrote, locked for a minute (`transactionLifetimeLimitSeconds`). Only
 * those of processes without any connection: a process that is silent because its machine is busy
 * is still alive, and aborting its work would make it start over. Users may list and kill their own
 * sessions without any privilege.
 * https://www.mongodb.com/docs/manual/reference/command/killSessions/
 * @returns how many were aborted
 */
async function endAbandonedTransactions(connection: Connection, service: string): Promise<number> {
  const admin = connection.getClient().db("admin");
  const begins = prefixOf(service, connection.name).replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const stages = [
    { $currentOp: { allUsers: false, idleConnections: true, idleSessions: true } },
    { $match: { appName: { $regex: `^${begins}` } } },
    { $project: { type: 1, appName: 1, lsid: 1, "transaction.timeInactiveMicros": 1 } },
  ];
  // The ids must be sent back as UUIDs; $currentOp refuses the read concern levels that connections
  // default to.
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
 * Aborts the transactions that killed processes of the service left open, releasing the documents
 * they wrote.
 * @returns a function that returns how many it aborted; it checks at most four times a second
 */
export function createUnblocker(connection: Connection, service: string): () => Promise<number> {
  let lastPollAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - lastPollAt < pollEveryMs) return 0;
    lastPollAt = performance.now();
    return await endAbandonedTransactions(connection, service);
  };
}
