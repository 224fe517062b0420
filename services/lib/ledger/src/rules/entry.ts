import { hash } from "node:crypto";
import { Entry } from "@uag/proto/billing/v1/ledger.ts";
import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type { Money } from "./money.ts";

export type EntryKind = "top_up" | "repayment" | "correction" | "grant" | "release" | "settle" | "repair";

/** A row to be written, before it has its place in the account's chain. */
export interface Posting {
  /**
   * Derived from the row's subject, so that the same thing cannot be written twice. See {@link
   * entryId}.
   */
  readonly id: string;
  readonly kind: EntryKind;
  readonly change: Money;
  readonly grantId?: string;
  readonly requestId?: string;
  readonly event?: UsageEvent;
  readonly note?: string;
}

/** Ids of ledger rows. */
export const entryId = {
  topUp: (accountId: string, reference: string): string => `topup:${accountId}:${reference}`,
  repayment: (accountId: string, reference: string): string => `repayment:${accountId}:${reference}`,
  grant: (grantId: string): string => `grant:${grantId}`,
  return: (grantId: string, sequence: number): string => `return:${grantId}:${sequence}`,
  finish: (grantId: string): string => `finish:${grantId}`,
  release: (grantId: string): string => `release:${grantId}`,
  settle: (requestId: string): string => `settle:${requestId}`,
  repair: (requestId: string): string => `repair:${requestId}`,
};

const none = Buffer.alloc(0);

/** The `previous_hash` of the first row of an account or of a grant. */
export const chainStart: Buffer = Buffer.alloc(32);

/**
 * SHA-256 over the row as protobuf without `hash`. The generated encoder writes fields in the order
 * of their numbers and omits defaults, so a row has one encoding, and fields added to the message
 * later change no old hash.
 */
export function hashOf(entry: Entry): Buffer {
  return hash("sha256", Entry.encode({ ...entry, hash: none }).finish(), "buffer");
}

/** A row's position in its chain. */
export interface Place {
  readonly accountId: string;
  readonly seq: bigint;
  readonly previousHash: Buffer;
  readonly atMs: number;
  /** The row follows the rows of its grant, not those of its account. */
  readonly ofGrant?: boolean;
  /** For an account's row that changes its grant: the head of the grant's own chain. */
  readonly grantHead?: Buffer;
  readonly endsGrant?: boolean;
}

/** Appends a posting after the row with `previousHash`. */
export function chain(posting: Posting, place: Place): Entry {
  const entry: Entry = {
    id: posting.id,
    accountId: place.accountId,
    seq: place.seq,
    kind: posting.kind,
    availableNanoUsd: posting.change.available,
    heldNanoUsd: posting.change.held,
    chargedNanoUsd: posting.change.charged,
    writtenOffNanoUsd: posting.change.writtenOff,
    toppedUpNanoUsd: posting.change.toppedUp,
    grantId: posting.grantId ?? "",
    requestId: posting.requestId ?? "",
    atMs: BigInt(place.atMs),
    event: posting.event,
    note: posting.note ?? "",
    previousHash: place.previousHash,
    hash: none,
    ofGrant: place.ofGrant ?? false,
    grantHead: place.grantHead?.equals(chainStart) ? none : (place.grantHead ?? none),
    endsGrant: place.endsGrant ?? false,
  };
  entry.hash = hashOf(entry);
  return entry;
}

export function changeOf(entry: Entry): Money {
  return {
    available: entry.availableNanoUsd,
    held: entry.heldNanoUsd,
    charged: entry.chargedNanoUsd,
    writtenOff: entry.writtenOffNanoUsd,
    toppedUp: entry.toppedUpNanoUsd,
  };
}
