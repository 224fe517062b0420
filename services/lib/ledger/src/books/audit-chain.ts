import { hash } from "node:crypto";
import { AuditRecord } from "@uag/proto/billing/v1/admin.ts";
import type { AuditDocument } from "../documents/audit-log.ts";
import type { Store } from "../documents/store.ts";

const none = Buffer.alloc(0);

/** The end of the audit log's hash chain. */
export interface AuditHead {
  readonly seq: bigint;
  readonly hash: Buffer;
}

/** The head before the chain's first row. */
export const chainStart: AuditHead = { seq: 0n, hash: Buffer.alloc(32) };

export function recordMessage(row: AuditDocument): AuditRecord {
  const { _id: id, at, actorId, actorName, requestId, action, targetId, accountId, before = "", after = "" } = row;
  const actor = { id: actorId, name: actorName, requestId, clientAddress: row.clientAddress ?? "" };
  return {
    id,
    atMs: BigInt(at.getTime()),
    actor,
    action,
    targetId,
    accountId,
    before,
    after,
    seq: row.seq ?? 0n,
    previousHash: row.previousHash ?? none,
    hash: row.hash ?? none,
  };
}

/** SHA-256 over the row as protobuf without `hash`, the same way ledger rows are chained. */
function hashOf(row: AuditDocument): Buffer {
  return hash("sha256", AuditRecord.encode({ ...recordMessage(row), hash: none }).finish(), "buffer");
}

/** Places a row after the last one in the chain. */
export function chained(row: AuditDocument, head: AuditHead): AuditDocument {
  const placed = { ...row, seq: head.seq + 1n, previousHash: head.hash };
  return { ...placed, hash: hashOf(placed) };
}

const rowsAtOnce = 500;

/**
 * Verifies the audit log's chain from its first row to its last. Rows older than the chain have no
 * place in it.
 * @param report receives one sentence per fault
 */
export async function auditChain(store: Store, report: (sentence: string) => void): Promise<void> {
  const end = (await store.auditHeads.findOne().lean<AuditHead>()) ?? chainStart;
  const rows = store.audit.find({ seq: { $gt: 0n, $lte: end.seq } }).sort({ seq: 1 });
  let head = chainStart;
  let began: Date | undefined;
  for await (const found of rows.lean<AuditDocument[]>().cursor({ batchSize: rowsAtOnce })) {
    const row = found as unknown as AuditDocument;
    began ??= row.at;
    if (row.seq !== head.seq + 1n) report(`The audit log has row ${row.seq} after row ${head.seq}.`);
    if (!head.hash.equals(row.previousHash ?? none)) report(`Audit row ${row._id} does not follow the row before it.`);
    if (!hashOf(row).equals(row.hash ?? none)) report(`Audit row ${row._id} was changed: its hash does not match.`);
    head = { seq: row.seq ?? 0n, hash: row.hash ?? none };
  }
  if (head.seq !== end.seq || !head.hash.equals(end.hash)) report("The audit log's head does not match its last row.");
  if (began === undefined) return;
  const outside = await store.audit.countDocuments({ seq: { $exists: false }, at: { $gte: began } });
  if (outside > 0) report(`The audit log has ${outside} rows outside its chain that are not older than the chain.`);
}
