import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { AccountState, Book, Change, Operation } from "./book.ts";
import { entryId, type Posting } from "./entry.ts";
import { isLive } from "./grant.ts";
import { billedOf, type Money, repaid, smaller } from "./money.ts";
import { splitCost } from "./settle.ts";

/** The outcome of a repair, nano-USD; negative amounts were returned to the account. */
export interface Repaired {
  readonly isNew: boolean;
  readonly charged: bigint;
  readonly writtenOff: bigint;
}

/**
 * Corrects a request that was charged provisionally, by a row next to its settlement. What it cost
 * beyond that charge is paid by the available balance, and the rest is written off; its hold was
 * released long ago. What it cost less is returned: first a part that was written off and is still
 * owed, then money, which repays other write-offs before it is available.
 * @param event with its current price
 */
export function repairOperation(event: UsageEvent): Operation<Repaired> {
  const { accountId, requestId, grantId } = event;
  const id = entryId.repair(requestId);
  const settled = entryId.settle(requestId);
  return {
    accountId,
    needs: { entries: [id, settled], grants: grantId === "" ? [] : [grantId] },
    decide(book) {
      const known = book.entries.get(id);
      if (known !== undefined) {
        const response = { isNew: false, charged: known.charged, writtenOff: known.writtenOff };
        return { response, postings: [], grants: [] };
      }
      const before = book.entries.get(settled);
      if (before === undefined) throw new GatewayError("not_found", "The ledger has no request with this ID.");
      const more = event.costNanoUsd - billedOf(before);
      return more < 0n ? returned(book, event, { before, amount: -more }) : charged(book, event, more);
    },
  };
}

const responseOf = ({ charged, writtenOff }: Money): Repaired => ({ isNew: true, charged, writtenOff });

function postingOf(event: UsageEvent, change: Money): Posting {
  return { id: entryId.repair(event.requestId), kind: "repair", change, requestId: event.requestId, event };
}

function charged({ account }: Book, event: UsageEvent, cost: bigint): Change<Repaired> {
  const { available } = account.money;
  const { fromAvailable, writtenOff } = splitCost({ cost, hold: 0n, left: 0n, available });
  const change = { available: -fromAvailable, held: 0n, charged: fromAvailable, writtenOff, toppedUp: writtenOff };
  return { response: responseOf(change), postings: [postingOf(event, change)], grants: [] };
}

function returned(
  { account, grants }: Book,
  event: UsageEvent,
  { before, amount }: { before: Money; amount: bigint },
): Change<Repaired> {
  const forgiven = smaller(amount, smaller(before.writtenOff, account.money.writtenOff));
  const money = amount - forgiven;
  const change = { available: money, held: 0n, charged: -money, writtenOff: -forgiven, toppedUp: -forgiven };
  const grant = grants.get(event.grantId);
  // The account's columns have what a live grant was charged only once that is folded in.
  const folded = grant !== undefined && isLive(grant) ? [grant] : [];
  const posting = { ...postingOf(event, change), ...(folded.length > 0 && { grantId: event.grantId }) };
  const postings = [posting, ...repayment(account, event, { forgiven, money })];
  return { response: responseOf(change), postings, grants: folded };
}

/** Returned money repays what the account still owes. */
function repayment(
  { id, money: { writtenOff } }: AccountState,
  { requestId }: UsageEvent,
  { forgiven, money }: { forgiven: bigint; money: bigint },
): Posting[] {
  const owed = smaller(money, writtenOff - forgiven);
  const reference = entryId.repair(requestId);
  return owed > 0n ? [{ id: entryId.repayment(id, reference), kind: "repayment", change: repaid(owed) }] : [];
}
