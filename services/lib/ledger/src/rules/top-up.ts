import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Operation } from "./book.ts";
import { entryId, type Posting } from "./entry.ts";
import { maxTotal, noMoney, repaid, smaller } from "./money.ts";

export interface TopUp {
  readonly accountId: string;
  /** Nano-USD; negative for a correction. */
  readonly amount: bigint;
  readonly reference: string;
  readonly note: string;
}

/**
 * Adds money to an account, or takes some of its available balance; once per reference. Write-offs
 * are repaid first, by a separate row. Returns whether the reference was new.
 */
export function topUpOperation(topUp: TopUp): Operation<boolean> {
  const id = entryId.topUp(topUp.accountId, topUp.reference);
  return {
    accountId: topUp.accountId,
    needs: { entries: [id] },
    decide(book) {
      const known = book.entries.get(id);
      if (known !== undefined) {
        if (known.toppedUp === topUp.amount) return { response: false, postings: [], grants: [] };
        throw new GatewayError("already_exists", "This reference was already used for another amount.", {
          param: "reference",
        });
      }
      const { money } = book.account;
      if (money.available + topUp.amount < 0n) {
        throw new GatewayError("insufficient_balance", "A correction cannot take more than is available.");
      }
      if (money.toppedUp + topUp.amount > maxTotal) {
        throw new GatewayError("invalid_request", "The account's total would exceed the maximum.", {
          param: "amount_nano_usd",
        });
      }
      const change = { ...noMoney, available: topUp.amount, toppedUp: topUp.amount };
      const { note } = topUp;
      if (topUp.amount < 0n)
        return { response: true, postings: [{ id, kind: "correction", change, note }], grants: [] };
      const postings: Posting[] = [{ id, kind: "top_up", change, note }];
      const owed = smaller(topUp.amount, money.writtenOff);
      if (owed > 0n) {
        const ofRepayment = entryId.repayment(topUp.accountId, topUp.reference);
        postings.push({ id: ofRepayment, kind: "repayment", change: repaid(owed) });
      }
      return { response: true, postings, grants: [] };
    },
  };
}
