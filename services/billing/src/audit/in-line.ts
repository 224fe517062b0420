import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { Transact } from "../store/transaction.ts";

const maxWaiting = 1_000;

/**
 * Runs transactions that add to the audit log one after the other. Each changes the chain's end, so
 * of those that ran at once all but one would fail and run again. Among processes that is still so.
 */
export function inLine(transact: Transact): Transact {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (work) => {
    if (waiting >= maxWaiting) throw new GatewayError("service_unavailable", "Too many changes are waiting.");
    waiting++;
    const mine = last.then(() => transact(work));
    last = mine.catch(() => undefined);
    return await mine.finally(() => waiting--);
  };
}
