import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Transact } from "../store/transaction.ts";

const maxWaiting = 1_000;

/**
 * Serializes transactions that append to the audit log. Each changes the chain's head, so of
 * several concurrent ones all but one would conflict and rerun. Across processes they still do.
 */
export function inLine(transact: Transact): Transact {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (work) => {
    if (waiting >= maxWaiting)
      throw new GatewayError("service_unavailable", "Too many changes are pending. Retry shortly.");
    waiting++;
    const mine = last.then(() => transact(work));
    last = mine.catch(() => undefined);
    return await mine.finally(() => waiting--);
  };
}
