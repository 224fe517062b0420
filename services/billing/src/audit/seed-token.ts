import { digestKey } from "@uag/kit/api-key.ts";
import type { Store } from "../store/store.ts";

const id = "admtok_first";

/** Makes the token of the environment the first one: a new value replaces the old, none revokes it. */
export async function seedAdminToken(
  { adminTokens }: Store,
  { token, pepper }: { token: string | undefined; pepper: Buffer },
): Promise<void> {
  if (token === undefined) {
    await adminTokens.updateOne({ _id: id, revokedAt: null }, { $set: { revokedAt: new Date() } });
    return;
  }
  const set = { digest: digestKey(token, pepper), name: "ADMIN_TOKEN", hint: `…${token.slice(-4)}`, revokedAt: null };
  const first = { $set: set, $setOnInsert: { createdAt: new Date() } };
  await adminTokens.updateOne({ _id: id }, first, { upsert: true });
}
