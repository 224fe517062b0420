import { parentPort, workerData } from "node:worker_threads";
import { auditWaitMs, connectBooks } from "../documents/connection.ts";
import { modelsOn } from "../documents/store.ts";
import { auditPart, type PartFindings } from "./audit-part.ts";

/** The database that a thread audits. */
export interface LaneData {
  readonly url: string;
  readonly database: string;
}

export type LaneReply = PartFindings | { readonly failed: string };

const connection = await connectBooks({ ...(workerData as LaneData), waitMs: auditWaitMs });
const store = { connection, ...modelsOn(connection) };

/** Audits one batch after another, as requested, until the thread is terminated. */
parentPort?.on("message", async (accountIds: readonly string[]) => {
  const reply: LaneReply = await auditPart(store, accountIds).catch((error: unknown) => ({ failed: String(error) }));
  parentPort?.postMessage(reply);
});
