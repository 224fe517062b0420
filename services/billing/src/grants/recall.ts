import { recallSubjects } from "@uag/contract/messages/billing";
import type { Bus } from "@uag/runtime/bus";

const quietMs = 100;

/**
 * Asks all holders to return what they hold unspent of an account, over NATS
 * `billing.recall.<account_id>` with an empty payload; at most once in 100 ms per account. Returns
 * whether it asked.
 */
export function createRecall(bus: Bus): (accountId: string) => boolean {
  const requested = new Set<string>();
  return (accountId) => {
    if (requested.has(accountId)) return false;
    requested.add(accountId);
    setTimeout(() => requested.delete(accountId), quietMs).unref();
    bus.connection.publish(recallSubjects.of(accountId));
    return true;
  };
}
