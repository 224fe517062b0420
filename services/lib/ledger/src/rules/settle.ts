import { Pricing, type UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { Book, Change, Operation } from "./book.ts";
import { entryId, type Posting } from "./entry.ts";
import { type Grant, isLive, leftOf } from "./grant.ts";
import { larger, type Money, smaller } from "./money.ts";

/** The outcome of settling one event. Amounts in nano-USD. */
export interface Settlement {
  readonly requestId: string;
  /** False when the event was already settled. */
  readonly isNew: boolean;
  readonly charged: bigint;
  readonly writtenOff: bigint;
  /** Its grant had ended, so it was charged to the available balance. */
  readonly late: boolean;
  readonly unpriced: boolean;
}

/**
 * Splits a cost by source: the request's own hold first, then the available balance; the rest is
 * written off.
 */
export function splitCost(input: { cost: bigint; hold: bigint; left: bigint; available: bigint }): {
  fromHeld: bigint;
  fromAvailable: bigint;
  writtenOff: bigint;
} {
  const fromHeld = larger(0n, smaller(input.cost, smaller(input.hold, input.left)));
  const fromAvailable = smaller(input.cost - fromHeld, input.available);
  return { fromHeld, fromAvailable, writtenOff: input.cost - fromHeld - fromAvailable };
}

export function isUnpriced(event: UsageEvent): boolean {
  return event.pricing === Pricing.UNPRICED;
}

/**
 * A write-off is credit we give the account: it enters and leaves in the same row, so the row stays
 * balanced.
 */
function changeOf(split: ReturnType<typeof splitCost>): Money {
  return {
    available: -split.fromAvailable,
    held: -split.fromHeld,
    charged: split.fromHeld + split.fromAvailable,
    writtenOff: split.writtenOff,
    toppedUp: split.writtenOff,
  };
}

export function settlePosting(event: UsageEvent, change: Money, late: boolean): Posting {
  const notes = [isUnpriced(event) ? "unpriced" : "", late ? "late" : ""].filter(Boolean);
  return {
    id: entryId.settle(event.requestId),
    kind: "settle",
    change,
    grantId: event.grantId,
    requestId: event.requestId,
    event,
    note: notes.join(", "),
  };
}

function settledGrant(grant: Grant, fromHeld: bigint): Grant {
  const settled = grant.settled + fromHeld;
  const done = grant.state === "closed" && grant.amount - grant.returned === settled;
  return { ...grant, settled, state: done ? "finished" : grant.state };
}

export const earlier = (requestId: string, change: Money): Settlement => ({
  requestId,
  isNew: false,
  charged: change.charged,
  writtenOff: change.writtenOff,
  late: false,
  unpriced: false,
});

/**
 * Settles events of one account, in the given order, that its grants alone do not cover: see
 * `settleFromGrants`. One that is already settled changes nothing.
 */
function settleEvents(book: Book, events: readonly UsageEvent[]): Change<Settlement[]> {
  let { available } = book.account.money;
  const grants = new Map<string, Grant>();
  const postings = new Map<string, Posting>();
  const response = events.map((event): Settlement => {
    const id = entryId.settle(event.requestId);
    const known = book.entries.get(id) ?? postings.get(id)?.change;
    if (known !== undefined) return earlier(event.requestId, known);
    const grant = grants.get(event.grantId) ?? book.grants.get(event.grantId);
    const left = grant === undefined ? 0n : leftOf(grant);
    const { costNanoUsd: cost } = event;
    const split = splitCost({ cost, hold: event.holdNanoUsd, left, available });
    const late = cost > 0n && !(grant !== undefined && isLive(grant));
    available -= split.fromAvailable;
    if (grant !== undefined && split.fromHeld > 0n) grants.set(grant.id, settledGrant(grant, split.fromHeld));
    postings.set(id, settlePosting(event, changeOf(split), late));
    return {
      requestId: event.requestId,
      isNew: true,
      charged: split.fromHeld + split.fromAvailable,
      writtenOff: split.writtenOff,
      late,
      unpriced: isUnpriced(event),
    };
  });
  return { response, postings: [...postings.values()], grants: [...grants.values()] };
}

export function settleOperation(accountId: string, events: readonly UsageEvent[]): Operation<Settlement[]> {
  return {
    accountId,
    needs: {
      entries: events.map((event) => entryId.settle(event.requestId)),
      grants: [...new Set(events.map((event) => event.grantId))].filter((id) => id !== ""),
    },
    expectsNewEntries: true,
    decide: (book) => settleEvents(book, events),
  };
}
