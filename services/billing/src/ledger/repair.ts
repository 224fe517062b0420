import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { Operation } from "./book.ts";
import { entryId } from "./entry.ts";
import { splitCost } from "./settle.ts";

/** The outcome of a repair, nano-USD. */
export interface Repaired {
  readonly isNew: boolean;
  readonly charged: bigint;
  readonly writtenOff: bigint;
}

/**
 * Charges a request that was settled without a price, by a row next to its settlement: the
 * available balance pays, the rest is written off. Its hold was released long ago.
 * @param event with its current price
 */
export function repairOperation(event: UsageEvent): Operation<Repaired> {
  const { accountId, requestId } = event;
  const id = entryId.repair(requestId);
  const settled = entryId.settle(requestId);
  return {
    accountId,
    needs: { entries: [id, settled] },
    decide(book) {
      const known = book.entries.get(id);
      if (known !== undefined) {
        const response = { isNew: false, charged: known.charged, writtenOff: known.writtenOff };
        return { response, postings: [], grants: [] };
      }
      if (!book.entries.has(settled)) throw new GatewayError("not_found", "There is no such request in the ledger.");
      const { available } = book.account.money;
      const { fromAvailable, writtenOff } = splitCost({ cost: event.costNanoUsd, hold: 0n, left: 0n, available });
      const change = {
        available: -fromAvailable,
        held: 0n,
        charged: fromAvailable,
        writtenOff,
        toppedUp: writtenOff,
      };
      const response = { isNew: true, charged: fromAvailable, writtenOff };
      return { response, postings: [{ id, kind: "repair", change, requestId, event }], grants: [] };
    },
  };
}
