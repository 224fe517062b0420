import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { Book, Change, Operation } from "./book.ts";
import { entryId, type Posting } from "./entry.ts";
import { type Grant, isLive, leftOf } from "./grant.ts";
import { noMoney } from "./money.ts";

export interface ReturnMoney {
  readonly grantId: string;
  readonly accountId: string;
  readonly sequence: number;
  /** Unspent money that goes back, nano-USD. Not looked at when the grant closes. */
  readonly amount: bigint;
  readonly close: boolean;
  /** With `close`: the sum over the grant's requests of the smaller of cost and hold, nano-USD. */
  readonly spent: bigint;
}

const nothing: Change<bigint> = { response: 0n, postings: [], grants: [] };

function release(grant: Grant, id: string, amount: bigint, state: Grant["state"], note: string): Change<bigint> {
  const posting: Posting = {
    id,
    kind: "release",
    change: { ...noMoney, available: amount, held: -amount },
    grantId: grant.id,
    note,
  };
  return { response: amount, postings: [posting], grants: [{ ...grant, returned: grant.returned + amount, state }] };
}

function invalid(param: string, text: string): GatewayError {
  return new GatewayError("invalid_request", text, { param });
}

/**
 * Gives money of a grant back to its account; answers how much. A return that was applied before,
 * or that comes after the end of its grant, changes nothing.
 */
export function returnMoney(book: Book, requested: ReturnMoney): Change<bigint> {
  const grant = book.grants.get(requested.grantId);
  if (grant === undefined) throw new GatewayError("not_found", "There is no such grant.", { param: "grant_id" });
  const id = entryId.return(grant.id, requested.sequence);
  if (book.entries.has(id) || grant.state !== "open") return nothing;
  if (requested.close) {
    const unspent = grant.amount - grant.returned - requested.spent;
    if (unspent < 0n) throw invalid("spent_nano_usd", "More was spent than the grant had.");
    if (requested.spent < grant.settled)
      throw invalid("spent_nano_usd", "Less was spent than has been settled already.");
    return release(grant, id, unspent, requested.spent === grant.settled ? "finished" : "closed", "closed");
  }
  if (requested.amount > leftOf(grant)) throw invalid("amount_nano_usd", "The grant does not have that much left.");
  return requested.amount === 0n ? nothing : release(grant, id, requested.amount, "open", "returned");
}

export function returnOperation(requested: ReturnMoney): Operation<bigint> {
  return {
    accountId: requested.accountId,
    needs: { grants: [requested.grantId], entries: [entryId.return(requested.grantId, requested.sequence)] },
    decide: (book) => returnMoney(book, requested),
  };
}

/**
 * Ends a grant that admits no more once all that was spent on it is settled; answers whether it
 * did.
 */
export function finishOperation(requested: { grantId: string; accountId: string }): Operation<boolean> {
  return {
    accountId: requested.accountId,
    needs: { grants: [requested.grantId] },
    decide(book) {
      const grant = book.grants.get(requested.grantId);
      if (grant?.state !== "closed" || leftOf(grant) > 0n) return { response: false, postings: [], grants: [] };
      return { ...release(grant, entryId.finish(grant.id), 0n, "finished", "finished"), response: true };
    },
  };
}

/**
 * Takes back all that a grant still holds, for good; answers how much, or undefined when it had
 * ended already.
 */
export function releaseOperation(requested: {
  grantId: string;
  accountId: string;
  why: string;
}): Operation<bigint | undefined> {
  return {
    accountId: requested.accountId,
    needs: { grants: [requested.grantId] },
    decide(book) {
      const grant = book.grants.get(requested.grantId);
      if (grant === undefined || !isLive(grant)) return { response: undefined, postings: [], grants: [] };
      return release(grant, entryId.release(grant.id), leftOf(grant), "released", requested.why);
    },
  };
}
