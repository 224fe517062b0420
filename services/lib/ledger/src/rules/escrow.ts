import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { chain, entryId } from "./entry.ts";
import { type Grant, isLive, leftOf } from "./grant.ts";
import { larger, type Money, moved } from "./money.ts";
import { earlier, isUnpriced, type Settlement, settlePosting } from "./settle.ts";
import { type Charge, Spending } from "./spending.ts";

/** What settling from grants may read, from one snapshot. */
export interface EscrowBook {
  readonly grants: ReadonlyMap<string, Grant>;
  /** What existing rows changed, by row id. */
  readonly entries: ReadonlyMap<string, Money>;
  readonly nowMs: number;
  /** Like `Book.nextSeq`. */
  nextSeq(after: bigint): bigint;
}

export interface EscrowChange {
  readonly settled: Settlement[];
  readonly entries: Entry[];
  readonly grants: ReadonlyMap<string, Grant>;
  readonly spending: readonly Charge[];
  /**
   * Events that must be charged to their account: they cost more than their grant holds for them,
   * or it has ended.
   */
  readonly uncovered: UsageEvent[];
}

/** True when the grant holds enough to pay the event, so that the account's row need not change. */
function isCovered(event: UsageEvent, grant: Grant | undefined): grant is Grant {
  if (grant === undefined || grant.accountId !== event.accountId || !isLive(grant)) return false;
  const { costNanoUsd, holdNanoUsd } = event;
  return costNanoUsd <= holdNanoUsd && costNanoUsd <= leftOf(grant);
}

/** Numbers the rows of each account separately, whichever of its grants they belong to. */
function numbering(book: EscrowBook): (accountId: string, after: bigint) => bigint {
  const last = new Map<string, bigint>();
  return (accountId, after) => {
    const seq = book.nextSeq(larger(after, last.get(accountId) ?? 0n));
    last.set(accountId, seq);
    return seq;
  };
}

/**
 * Charges events of any number of accounts to their grants without reading the accounts: the money
 * is reserved already. Events must be distinct. One that is already settled changes nothing.
 */
export function settleFromGrants(book: EscrowBook, events: readonly UsageEvent[]): EscrowChange {
  const [settled, entries, rest]: [Settlement[], Entry[], UsageEvent[]] = [[], [], []];
  const grants = new Map<string, Grant>();
  const spending = new Spending();
  const seqOf = numbering(book);
  for (const event of events) {
    const known = book.entries.get(entryId.settle(event.requestId));
    const grant = grants.get(event.grantId) ?? book.grants.get(event.grantId);
    if (known !== undefined) settled.push(earlier(event.requestId, known));
    else if (!isCovered(event, grant)) rest.push(event);
    else {
      const { accountId, costNanoUsd: charged } = event;
      const posting = settlePosting(event, moved(charged), false);
      const place = { accountId, previousHash: grant.head, atMs: book.nowMs, ofGrant: true };
      const entry = chain(posting, { ...place, seq: seqOf(accountId, grant.seq) });
      entries.push(entry);
      grants.set(grant.id, { ...grant, settled: grant.settled + charged, seq: entry.seq, head: entry.hash });
      settled.push({
        requestId: event.requestId,
        isNew: true,
        charged,
        writtenOff: 0n,
        late: false,
        unpriced: isUnpriced(event),
      });
      spending.add(event, charged);
    }
  }
  return { settled, entries, grants, spending: spending.charges, uncovered: rest };
}
