import { GatewayError } from "@uag/kit/errors.ts";
import type { Operation } from "./book.ts";
import { entryId } from "./entry.ts";
import { largestTotal, noMoney } from "./money.ts";

export interface TopUp {
  readonly accountId: string;
  /** Nano-USD; negative for a correction. */
  readonly amount: bigint;
  readonly reference: string;
  readonly note: string;
}

/** Adds money to an account, or takes some that is available; once for each reference. Answers whether it was new. */
export function topUpOperation(topUp: TopUp): Operation<boolean> {
  const id = entryId.topUp(topUp.accountId, topUp.reference);
  return {
    accountId: topUp.accountId,
    needs: { entries: [id] },
    decide(book) {
      const known = book.entries.get(id);
      if (known !== undefined) {
        if (known.toppedUp === topUp.amount) return { answer: false, postings: [], grants: [] };
        throw new GatewayError("already_exists", "This reference was used for another amount.", { param: "reference" });
      }
      const { money } = book.account;
      if (money.available + topUp.amount < 0n) {
        throw new GatewayError("insufficient_balance", "A correction cannot take more than is available.");
      }
      if (money.toppedUp + topUp.amount > largestTotal) {
        throw new GatewayError("invalid_request", "The account would hold too much.", { param: "amount_nano_usd" });
      }
      const change = { ...noMoney, available: topUp.amount, toppedUp: topUp.amount };
      const kind = topUp.amount < 0n ? "correction" : "top_up";
      return { answer: true, postings: [{ id, kind, change, note: topUp.note }], grants: [] };
    },
  };
}
