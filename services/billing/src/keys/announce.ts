import { budgetChanged, budgetChangedSubject, keyChanged, keyChangedSubject } from "@uag/contract/messages/billing";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import type { Billing } from "../billing.ts";

/** Notifies every router, over NATS `billing.key-changed`, to drop its cached copy of the key. */
export function announceChange(
  billing: Pick<Billing, "bus" | "events">,
  key: KeyDocument,
  change: "created" | "updated" | "regenerated" | "revoked",
): void {
  publishChange(billing, key);
  billing.events.keyChanged({ keyId: key._id, accountId: key.accountId, change });
}

/** Notifies every router to drop its cached copies of the account's keys. */
export async function announceKeysOf({ bus, store }: Pick<Billing, "bus" | "store">, accountId: string): Promise<void> {
  const keys = store.keys.find({ accountId, revokedAt: null }, { digest: 1, previous: 1 }).lean<KeyDocument>().cursor();
  for await (const key of keys) publishChange({ bus }, key);
}

/** Notifies every router to drop its cached copies of the keys of envelopes that this key opened. */
export async function announceEnvelopesOf(
  { bus, store, clock }: Pick<Billing, "bus" | "store" | "clock">,
  rootKeyId: string,
): Promise<void> {
  const open = { "envelope.rootKeyId": rootKeyId, revokedAt: null, expiresAt: { $gt: new Date(clock.now()) } };
  const keys = store.keys.find(open, { digest: 1, previous: 1 }).lean<KeyDocument>().cursor();
  for await (const key of keys) publishChange({ bus }, key);
}

/** Notifies every router to drop its cached copies of the keys below a budget, and holders of its permits. */
export function announceBudget({ bus }: Pick<Billing, "bus">, budgetId: string): void {
  bus.connection.publish(budgetChangedSubject, budgetChanged.encode({ budget_id: budgetId }));
}

function publishChange({ bus }: Pick<Billing, "bus">, key: Pick<KeyDocument, "_id" | "digest" | "previous">): void {
  for (const digest of [key.digest, ...(key.previous ?? []).map((secret) => secret.digest)]) {
    const payload = keyChanged.encode({ key_id: key._id, digest: digest.toString("hex") });
    bus.connection.publish(keyChangedSubject, payload);
  }
}
