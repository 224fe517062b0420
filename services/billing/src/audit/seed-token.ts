import { digestKey } from "@uag/kit/api-key.ts";
import { AdminRole } from "@uag/proto/billing/v1/admin.ts";
import type { ClientSession } from "mongoose";
import type { Billing } from "../billing.ts";
import type { AdminTokenDocument } from "../store/admin-tokens.ts";
import { recordChange } from "./record.ts";
import { tokenSnapshot } from "./snapshot.ts";

/** The settings that carry an admin token, each with the id of its token. */
const ids = { ADMIN_TOKEN: "admtok_first", CONSOLE_ADMIN_TOKEN: "admtok_console" } as const;

type Parts = Pick<Billing, "store" | "transact" | "settings">;

interface Given {
  readonly name: keyof typeof ids;
  /** Undefined when the setting is absent. */
  readonly token: string | undefined;
}

/** The token document for a setting's current value. */
function seededToken(
  { name, token }: { name: Given["name"]; token: string },
  { settings }: Parts,
  before: AdminTokenDocument | null,
): AdminTokenDocument {
  const { current } = settings.peppers;
  return {
    _id: ids[name],
    name,
    hint: `…${token.slice(-4)}`,
    role: AdminRole.OPERATOR,
    digest: digestKey(token, current.secret),
    pepperId: current.id,
    createdAt: before?.createdAt ?? new Date(),
    revokedAt: null,
  };
}

/** The document to write and its audit-log action; undefined when the token is unchanged. */
function changeOf(before: AdminTokenDocument | null, { name, token }: Given, parts: Parts) {
  if (token === undefined) {
    if (before === null || before.revokedAt !== null) return undefined;
    return { action: "admin_token.revoke", after: { ...before, revokedAt: new Date() } };
  }
  const digests = parts.settings.peppers.all.map(({ secret }) => digestKey(token, secret));
  const same = before?.revokedAt === null && digests.some((digest) => digest.equals(before.digest));
  const after = seededToken({ name, token }, parts, before);
  if (same) return before.digest.equals(after.digest) ? undefined : { action: undefined, after };
  return { action: before === null ? "admin_token.create" : "admin_token.replace", after };
}

async function apply(parts: Parts, given: Given, session: ClientSession): Promise<void> {
  const { store } = parts;
  const targetId = ids[given.name];
  const before = await store.adminTokens.findById(targetId).session(session).lean<AdminTokenDocument>();
  const change = changeOf(before, given, parts);
  if (change === undefined) return;
  const { action, after } = change;
  const { _id, ...set } = after;
  await store.adminTokens.updateOne({ _id }, { $set: set }, { session, upsert: true });
  // The same token under another pepper is not a change anyone made.
  if (action === undefined) return;
  await recordChange(store, session, {
    actor: undefined,
    action,
    targetId,
    after: tokenSnapshot(after),
    ...(before !== null && { before: tokenSnapshot(before) }),
  });
}

/**
 * Makes the token named by a setting valid: a new value replaces the old one, no value revokes it.
 * Each change is recorded in the audit log.
 */
export async function seedAdminToken(parts: Parts, given: Given): Promise<void> {
  await parts.transact((session) => apply(parts, given, session));
}
