import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import { type Grant, isLive, leftOf } from "../grants/grant.ts";
import { chainStart, changeOf, entryId, hashOf } from "./entry.ts";
import { addMoney, isBalanced, isSound, type Money, noMoney } from "./money.ts";
import { costOf } from "./settle.ts";

/** What an account's document says of itself. */
export interface AccountClaim {
  readonly id: string;
  readonly money: Money;
  readonly seq: bigint;
  readonly head: Buffer;
}

/** Sums over all grants of an account, nano-USD. */
export interface GrantSums {
  readonly amount: bigint;
  readonly returned: bigint;
  readonly settled: bigint;
}

/** Re-adds one account's ledger. Memory grows with the grants that hold money and with unpriced requests, not with the rows. */
export interface AccountAudit {
  /** Rows in the order of their seq. */
  row(entry: Entry): void;
  /** Compares with the account and its grants as they were right after the last row. */
  finish(claim: AccountClaim, grants: { live: Iterable<Grant>; sums: GrantSums }): void;
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

function compareMoney(sum: Money, claim: AccountClaim, report: (sentence: string) => void): void {
  for (const column of ["available", "held", "charged", "writtenOff", "toppedUp"] as const) {
    if (sum[column] !== claim.money[column]) {
      report(`Account ${claim.id} has ${claim.money[column]} ${column}, but its rows add up to ${sum[column]}.`);
    }
  }
}

/** @param report gets one sentence for each fault. */
export function auditAccount(accountId: string, report: (sentence: string) => void): AccountAudit {
  let sum = noMoney;
  let seq = 0n;
  let head: Buffer = chainStart;
  let settledRequests = 0n;
  let sums: GrantSums = { amount: 0n, returned: 0n, settled: 0n };
  const holding = new Map<string, bigint>();
  const unpriced = new Set<string>();
  function hold(entry: Entry): void {
    const change = entry.heldNanoUsd;
    if (entry.kind === "grant") sums = { ...sums, amount: sums.amount + change };
    if (entry.kind === "release") sums = { ...sums, returned: sums.returned - change };
    if (entry.kind === "settle") sums = { ...sums, settled: sums.settled - change };
    const left = (holding.get(entry.grantId) ?? 0n) + change;
    if (left < 0n) report(`Grant ${entry.grantId} held ${left} after row ${entry.id}.`);
    if (left === 0n) holding.delete(entry.grantId);
    else holding.set(entry.grantId, left);
  }

  function checkChain(entry: Entry): void {
    if (entry.seq !== seq + 1n) report(`Account ${accountId} has row ${entry.seq} after row ${seq}.`);
    if (!head.equals(entry.previousHash)) report(`Row ${entry.id} does not follow the row before it.`);
    if (!hashOf(entry).equals(entry.hash)) report(`Row ${entry.id} was changed: its hash does not fit.`);
    seq = entry.seq;
    head = entry.hash;
  }

  return {
    row(entry) {
      checkChain(entry);
      const change = changeOf(entry);
      if (!isBalanced(change)) report(`Row ${entry.id} does not balance.`);
      sum = addMoney(sum, change);
      if (!isSound(sum)) report(`Account ${accountId} had a balance below zero after row ${entry.id}.`);
      if (entry.heldNanoUsd !== 0n) hold(entry);
      if (entry.kind === "settle") settledRequests += 1n;
      const fault = billFault(entry, unpriced);
      if (fault !== undefined) report(`Row ${entry.id} ${fault}.`);
    },
    finish(claim, grants) {
      if (claim.seq !== seq) report(`Account ${claim.id} counts ${claim.seq} rows, but the last is ${seq}.`);
      if (!claim.head.equals(head)) report(`Account ${claim.id} does not end in the hash of its last row.`);
      compareMoney(sum, claim, report);
      for (const grant of grants.live) {
        const left = holding.get(grant.id) ?? 0n;
        if (!isLive(grant) || leftOf(grant) !== left) {
          report(`Grant ${grant.id} has ${leftOf(grant)} left, but its rows add up to ${left}.`);
        }
        holding.delete(grant.id);
      }
      for (const [id, left] of holding) report(`Grant ${id} has ended, but its rows still hold ${left}.`);
      for (const part of ["amount", "returned", "settled"] as const) {
        if (grants.sums[part] === sums[part]) continue;
        report(`The grants of ${claim.id} have ${grants.sums[part]} ${part} in all, their rows ${sums[part]}.`);
      }
    },
    get entries() {
      return seq;
    },
    get settledRequests() {
      return settledRequests;
    },
  };
}
