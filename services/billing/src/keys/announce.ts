import { keyChanged, keyChangedSubject } from "@uag/contract/messages/billing";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import type { Billing } from "../billing.ts";

/** Notifies every router, over NATS `billing.key-changed`, to drop its cached copy of the key. */
export function announceChange(
  billing: Pick<Billing, "bus" | "events">,
  key: KeyDocument,
  change: "created" | "updated" | "regenerated" | "revoked",
): void {
  for (const digest of [key.digest, ...(key.previous ?? []).map((secret) => secret.digest)]) {
    const payload = keyChanged.encode({ key_id: key._id, digest: digest.toString("hex") });
    billing.bus.connection.publish(keyChangedSubject, payload);
  }
  billing.events.keyChanged({ keyId: key._id, accountId: key.accountId, change });
}
