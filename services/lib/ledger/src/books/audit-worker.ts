/** A thread that audits parts of the books. */
import { workerData } from "node:worker_threads";
import { serveCalls } from "@uag/runtime/concurrency/serve-calls";
import { auditWaitMs, connectBooks } from "../documents/connection.ts";
import { modelsOn } from "../documents/store.ts";
import { auditPart, type PartFindings } from "./audit-part.ts";
import type { AuditedDatabase } from "./audit-pool.ts";

const connection = await connectBooks({ ...(workerData as AuditedDatabase), waitMs: auditWaitMs });
const store = { connection, ...modelsOn(connection) };

serveCalls<readonly string[], PartFindings>((accountIds) => auditPart(store, accountIds));
