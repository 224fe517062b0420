import { type AuditHead, chained, chainStart } from "@uag/ledger/books/audit-chain";
import type { AuditDocument } from "@uag/ledger/documents/audit-log";
import type { Store } from "@uag/ledger/documents/store";
import type { Actor } from "@uag/proto/common/v1/actor.ts";
import { newId } from "@uag/runtime/ids";
import type { Billing } from "../billing.ts";
import type { Transaction } from "../store/transaction.ts";

export interface AdminChange {
  /** Who made the change; undefined: one of our own processes. */
  readonly actor: Actor | undefined;
  readonly action: string;
  readonly targetId: string;
  readonly accountId?: string;
  /** JSON objects as text. */
  readonly before?: string;
  readonly after?: string;
}

const ourselves: Actor = { id: "internal", name: "internal", requestId: "" };
const headId = "audit_log";

function auditDocument(change: AdminChange, { id, at }: { id: string; at: Date }): AuditDocument {
  const { id: actorId, name: actorName, requestId, clientAddress = "" } = change.actor ?? ourselves;
  const { action, targetId, accountId = "", before = "", after = "" } = change;
  const what = { action, targetId, accountId, before, after };
  return { _id: id, at, actorId, actorName, requestId, clientAddress, ...what };
}

/**
 * Appends a change to the audit log's chain in the same transaction that makes it, so neither
 * exists without the other.
 */
export async function recordChange(
  store: Store,
  { session, at }: Transaction,
  change: AdminChange,
  id = newId("aud"),
): Promise<void> {
  const { audit, auditHeads } = store;
  const head = (await auditHeads.findById(headId).session(session).lean<AuditHead>()) ?? chainStart;
  const row = chained(auditDocument(change, { id, at }), head);
  await audit.collection.insertOne(row as never, { session });
  const end = { $set: { seq: row.seq, hash: row.hash } };
  await auditHeads.updateOne({ _id: headId }, end, { session, upsert: true });
}

/**
 * Records a change that is already committed, under an id of its own: a repeated call adds what is
 * missing and nothing twice.
 */
export async function recordOnce({ store, transact }: Billing, change: AdminChange, id: string): Promise<void> {
  await transact(async (transaction) => {
    const known = await store.audit.exists({ _id: id }).session(transaction.session);
    if (known === null) await recordChange(store, transaction, change, id);
  });
}
