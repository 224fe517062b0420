import type { AdminTokenDocument } from "@uag/ledger/documents/admin-tokens";
import { AdminRole } from "@uag/proto/billing/v1/admin.ts";
import { digestKey } from "@uag/runtime/api-key";
import type { Billing } from "../billing.ts";
import type { Transaction } from "../store/transaction.ts";
import { recordChange } from "./record.ts";
import { tokenSnapshot } from "./snapshot.ts";

/** The settings that carry an admin token, each with the id of its token. */
const ids = {
  ADMIN_TOKEN: "admtok_first",
  ADMIN_TOKEN_PREVIOUS: "admtok_first_previous",
  CONSOLE_ADMIN_TOKEN: "admtok_console",
  CONSOLE_ADMIN_TOKEN_PREVIOUS: "admtok_console_previous",
} as const;

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
  { before, at }: { before: AdminTokenDocument | null; at: Date },
): AdminTokenDocument {
  const { current } = settings.peppers;
  return {
    _id: ids[name],
    name,
    hint: `…${token.slice(-4)}`,
    role: AdminRole.OPERATOR,
    digest: digestKey(token, current.secret),
    pepperId: current.id,
    createdAt: before?.createdAt ?? at,
    revokedAt: null,
  };
}

/** The document to write and its audit-log action; undefined when the token is unchanged. */
function changeOf(
  { before, at }: { before: AdminTokenDocument | null; at: Date },
  { name, token }: Given,
  parts: Parts,
) {
  if (token === undefined) {
    if (before === null || before.revokedAt !== null) return undefined;
    return { action: "admin_token.revoke", after: { ...before, revokedAt: at } };
  }
  const digests = parts.settings.peppers.all.map(({ secret }) => digestKey(token, secret));
  const same = before?.revokedAt === null && digests.some((digest) => digest.equals(before.digest));
  const after = seededToken({ name, token }, parts, { before, at });
  if (same) return before.digest.equals(after.digest) ? undefined : { action: undefined, after };
  return { action: before === null ? "admin_token.create" : "admin_token.replace", after };
}

async function apply(parts: Parts, given: readonly Given[], transaction: Transaction): Promise<void> {
  const { session, at } = transaction;
  const { store } = parts;
  const changes: { before: AdminTokenDocument | null; after: AdminTokenDocument; action: string | undefined }[] = [];
  for (const one of given) {
    const before = await store.adminTokens.findById(ids[one.name]).session(session).lean<AdminTokenDocument>();
    const change = changeOf({ before, at }, one, parts);
    if (change !== undefined) changes.push({ before, ...change });
  }
  // Two settings may have exchanged their values, and a digest is in one document at a time.
  await store.adminTokens.deleteMany({ _id: { $in: changes.map(({ after }) => after._id) } }, { session });
  for (const { before, after, action } of changes) {
    await store.adminTokens.create([after], { session });
    // The same token under another pepper is not a change anyone made.
    if (action === undefined) continue;
    await recordChange(store, transaction, {
      actor: undefined,
      action,
      targetId: after._id,
      after: tokenSnapshot(after),
      ...(before !== null && { before: tokenSnapshot(before) }),
    });
  }
}

/**
 * Makes the tokens named by settings valid: a new value replaces the old one, no value revokes it.
 * Each change is recorded in the audit log.
 */
export async function seedAdminTokens(
  parts: Parts,
  settings: Readonly<Partial<Record<Given["name"], string | undefined>>>,
): Promise<void> {
  const given = (Object.keys(ids) as Given["name"][]).map((name) => ({ name, token: settings[name] }));
  await parts.transact((transaction) => apply(parts, given, transaction));
}
