import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Book, Change, Operation } from "./book.ts";
import { entryId, type Posting } from "./entry.ts";
import { type Grant, isLive, leftOf } from "./grant.ts";
import { noMoney } from "./money.ts";

export interface ReturnMoney {
  readonly grantId: string;
  readonly accountId: string;
  readonly sequence: number;
  /** Unspent money to return, nano-USD. Ignored when the grant closes. */
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
 * Returns money of a grant to its account and reports how much. A return that was applied before,
 * or that arrives after the grant ended, changes nothing.
 */
function returnMoney(book: Book, requested: ReturnMoney): Change<bigint> {
  const grant = book.grants.get(requested.grantId);
  if (grant === undefined) throw new GatewayError("not_found", "The grant does not exist.", { param: "grant_id" });
  const id = entryId.return(grant.id, requested.sequence);
  if (book.entries.has(id) || grant.state !== "open") return nothing;
  if (requested.close) {
    const unspent = grant.amount - grant.returned - requested.spent;
    if (unspent < 0n) throw invalid("spent_nano_usd", "The spending exceeds the grant.");
    if (requested.spent < grant.settled)
      throw invalid("spent_nano_usd", "The spending is less than the amount already settled.");
    return release(grant, id, unspent, requested.spent === grant.settled ? "finished" : "closed", "closed");
  }
  if (requested.amount > leftOf(grant))
    throw invalid("amount_nano_usd", "The amount exceeds what is left of the grant.");
  return requested.amount === 0n ? nothing : release(grant, id, requested.amount, "open", "returned");
}

export function returnOperation(requested: ReturnMoney): Operation<bigint> {
  return {
    accountId: requested.accountId,
    needs: { grants: [requested.grantId], entries: [entryId.return(requested.grantId, requested.sequence)] },
    decide: (book) => returnMoney(book, requested),
  };
}

/** Finishes a closed grant once all its spending is settled; returns whether it did. */
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
 * Permanently takes back everything a grant still holds; returns the amount, or undefined when it had
 * already ended.
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
