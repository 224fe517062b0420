import type { DelegatedCredentials } from "../admin-api/credentials.ts";
import type { Actor, Audit } from "../audit.ts";
import type { Sessions } from "../sign-in/sessions.ts";
import type { Store } from "../store/store.ts";
import type { UserDocument } from "../store/users.ts";
import type { KeyLimits } from "./key-limits.ts";

export interface LimitParts {
  readonly store: Pick<Store, "users">;
  readonly sessions: Sessions;
  readonly credentials: DelegatedCredentials;
  readonly audit: Audit;
}

/** Stores the limits that a member's new keys get, and revokes playground keys that lack them. */
export async function limitMember(
  { store, sessions, credentials, audit }: LimitParts,
  { actor, user, limits }: { actor: Actor; user: UserDocument; limits: KeyLimits },
): Promise<void> {
  const { _id: targetId, accountId, keyLimits = {} } = user;
  const after = { before: { key_limits: keyLimits }, after: { key_limits: limits } };
  await audit.record(actor, { action: "console.user_update", targetId, accountId, after });
  await store.users.updateOne({ _id: targetId }, { $set: { keyLimits: limits } });
  const open = await sessions.ofUser(targetId);
  await credentials.revoke(open.map(({ borrowed }) => ({ borrowed: borrowed.filter(({ kind }) => kind === "key") })));
}
