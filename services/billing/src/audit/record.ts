import { newId } from "@uag/kit/ids.ts";
import type { Actor } from "@uag/proto/common/v1/actor.ts";
import type { ClientSession } from "mongoose";
import type { AuditDocument } from "../store/audit-log.ts";
import type { Store } from "../store/store.ts";

export interface AdminChange {
  /** Whoever asked; undefined: one of our own processes. */
  readonly actor: Actor | undefined;
  readonly action: string;
  readonly targetId: string;
  readonly accountId?: string;
  /** JSON objects as text. */
  readonly before?: string;
  readonly after?: string;
}

const ourselves: Actor = { id: "internal", name: "internal", requestId: "" };

export function auditDocument(change: AdminChange, id = newId("aud")): AuditDocument {
  const { id: actorId, name: actorName, requestId } = change.actor ?? ourselves;
  const { action, targetId, accountId = "", before = "", after = "" } = change;
  return { _id: id, at: new Date(), actorId, actorName, requestId, action, targetId, accountId, before, after };
}

/** Adds a change to the audit log, in the transaction that makes it: neither is there without the other. */
export async function recordChange(store: Store, session: ClientSession, change: AdminChange): Promise<void> {
  await store.audit.collection.insertOne(auditDocument(change) as never, { session });
}
