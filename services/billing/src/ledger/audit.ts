import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import { type Grant, isLive, unfoldedOf } from "../grants/grant.ts";
import { chainStart, changeOf, entryId, hashOf } from "./entry.ts";
import { auditGrants } from "./grant-audit.ts";
import { addMoney, isBalanced, isSound, larger, type Money, moved, noMoney, repaymentOf } from "./money.ts";
import { costOf } from "./settle.ts";

/** What an account's document says of itself. */
export interface AccountClaim {
  readonly id: string;
  readonly money: Money;
  readonly repaid: bigint;
  readonly seq: bigint;
  readonly head: Buffer;
}

/** An account and its live grants as one moment saw them. */
export interface Claim {
  readonly account: AccountClaim;
  readonly live: readonly Grant[];
}

/** No row beyond this belongs to the moment. */
export function lastSeqOf({ account, live }: Claim): bigint {
  return live.reduce((last, { seq }) => larger(last, seq), account.seq);
}

/** What an account has: its own columns, and what its grants were charged since those were written. */
export function balanceOf({ account, live }: Pick<Claim, "live"> & { readonly account: { money: Money } }): Money {
  const unfolded = live.reduce((sum, grant) => sum + unfoldedOf(grant), 0n);
  return addMoney(account.money, moved(unfolded));
}

/** Re-adds one account's ledger. Memory grows with the grants that hold money and with unpriced requests, not with the rows. */
export interface AccountAudit {
  /** Rows in the order of their seq. Those that came after the moment are passed over. */
  row(entry: Entry): void;
  /** Compares with the account and its grants as they were at the moment. */
  finish(): void;
  readonly entries: bigint;
  readonly settledRequests: bigint;
}

function settleFault(entry: Entry): string | undefined {
  const { event } = entry;
  if (event === undefined) return "has no event";
  const id = entry.kind === "repair" ? entryId.repair(event.requestId) : entryId.settle(event.requestId);
  if (entry.id !== id || entry.requestId !== event.requestId) {
    return `is about request ${event.requestId}`;
  }
  if (event.accountId !== entry.accountId) return `charges an event of account ${event.accountId}`;
  const billed = entry.chargedNanoUsd + entry.writtenOffNanoUsd;
  return billed === costOf(event) ? undefined : `bills ${billed} for a cost of ${costOf(event)}`;
}

/** @param unpriced see {@link repairFault} */
function billFault(entry: Entry, unpriced: Set<string>): string | undefined {
  if (entry.kind !== "settle" && entry.kind !== "repair") return undefined;
  return settleFault(entry) ?? repairFault(entry, unpriced);
}

/** A request is repaired once, and only one that had no price. @param unpriced those still to be repaired; kept up to date */
function repairFault(entry: Entry, unpriced: Set<string>): string | undefined {
  if (entry.event?.pricing === Pricing.UNPRICED) unpriced.add(entry.requestId);
  else if (entry.kind === "repair" && !unpriced.delete(entry.requestId)) return "charges a request that had its price";
  return undefined;
}

function compareMoney(sum: Money, claim: Claim, report: (sentence: string) => void): void {
  const money = balanceOf(claim);
  for (const column of ["available", "held", "charged", "writtenOff", "toppedUp"] as const) {
    if (sum[column] === money[column]) continue;
    report(`Account ${claim.account.id} has ${money[column]} ${column}, but its rows add up to ${sum[column]}.`);
  }
}

/** Which rows had been written at the moment. A grant that is not live then had ended before it, or begins after it. */
function membership(claim: Claim): (entry: Entry) => boolean {
  const lastOf = new Map(claim.live.map(({ id, seq }) => [id, seq]));
  return (entry) => entry.seq <= ((entry.ofGrant ? lastOf.get(entry.grantId) : undefined) ?? claim.account.seq);
}

const aboutGrants: readonly string[] = ["grant", "release", "settle"];

/** Follows an account's own chain, and hands on what says something of its grants. */
function auditChain(accountId: string, report: (sentence: string) => void) {
  const grants = auditGrants(report);
  let head: Buffer = chainStart;
  /** Of all rows, and of those in the account's own chain. */
  let [latest, last] = [0n, 0n];
  return {
    row(entry: Entry): void {
      if (!hashOf(entry).equals(entry.hash)) report(`Row ${entry.id} was changed: its hash does not fit.`);
      if (entry.seq <= latest) report(`Account ${accountId} has row ${entry.seq} after row ${latest}.`);
      latest = entry.seq;
      if (entry.ofGrant) {
        grants.own(entry);
        return;
      }
      if (!head.equals(entry.previousHash)) report(`Row ${entry.id} does not follow the row before it.`);
      last = entry.seq;
      head = entry.hash;
      if (entry.grantId !== "" && aboutGrants.includes(entry.kind)) grants.ofAccount(entry);
    },
    finish({ account, live }: Claim): void {
      if (account.seq !== last) report(`Account ${accountId} ends with row ${account.seq}, but the last is ${last}.`);
      if (!account.head.equals(head)) report(`Account ${accountId} does not end in the hash of its last row.`);
      grants.compare(live);
    },
  };
}

/**
 * @param options without a claim, because the account is gone, all rows are looked at; `report` gets one sentence for each
 *   fault
 */
export function auditAccount(
  accountId: string,
  options: { readonly claim: Claim | undefined; readonly report: (sentence: string) => void },
): AccountAudit {
  const { claim, report } = options;
  const belongs = claim === undefined ? () => true : membership(claim);
  const chain = auditChain(accountId, report);
  const unpriced = new Set<string>();
  let sum = noMoney;
  let repaid = 0n;
  let entries = 0n;
  let settledRequests = 0n;
  return {
    row(entry) {
      if (!belongs(entry)) return;
      entries += 1n;
      chain.row(entry);
      const change = changeOf(entry);
      if (!isBalanced(change)) report(`Row ${entry.id} does not balance.`);
      sum = addMoney(sum, change);
      repaid += repaymentOf(change);
      if (change.writtenOff < 0n && entry.kind !== "repayment")
        report(`Row ${entry.id} takes back what was written off.`);
      if (!isSound(sum)) report(`Account ${accountId} had a balance below zero after row ${entry.id}.`);
      if (entry.kind === "settle") settledRequests += 1n;
      const fault = billFault(entry, unpriced);
      if (fault !== undefined) report(`Row ${entry.id} ${fault}.`);
    },
    finish() {
      if (claim === undefined) {
        report(`Account ${accountId} does not exist, but has rows.`);
        return;
      }
      chain.finish(claim);
      compareMoney(sum, claim, report);
      if (claim.account.repaid !== repaid)
        report(`Account ${accountId} has ${claim.account.repaid} repaid, but its rows add up to ${repaid}.`);
      for (const grant of claim.live) if (!isLive(grant)) report(`Grant ${grant.id} counts as live and is not.`);
    },
    get entries() {
      return entries;
    },
    get settledRequests() {
      return settledRequests;
    },
  };
}
