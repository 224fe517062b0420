import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import { chainStart, changeOf, hashOf } from "./entry.ts";
import { type Grant, isLive, leftOf, unfoldedOf } from "./grant.ts";
import { auditGrants, type Standing } from "./grant-audit.ts";
import { addMoney, isBalanced, isSound, larger, type Money, moved, noMoney } from "./money.ts";
import { auditRepairs, settleFault } from "./repair-audit.ts";

/** What an account's document claims. */
interface AccountClaim {
  readonly id: string;
  readonly money: Money;
  readonly repaid: bigint;
  readonly seq: bigint;
  readonly head: Buffer;
}

/** An account and its live grants, read in one snapshot. */
export interface Claim {
  readonly account: AccountClaim;
  readonly live: readonly Grant[];
}

/** The last seq that belongs to the snapshot. */
export function lastSeqOf({ account, live }: Claim): bigint {
  return live.reduce((last, { seq }) => larger(last, seq), account.seq);
}

/**
 * An account's balance: its own columns plus what its grants were charged since those were written.
 */
export function balanceOf({ account, live }: Pick<Claim, "live"> & { readonly account: { money: Money } }): Money {
  const unfolded = live.reduce((sum, grant) => sum + unfoldedOf(grant), 0n);
  return addMoney(account.money, moved(unfolded));
}

/** The verified result of the rows up to a snapshot, from which a later audit can continue. */
export interface Proof {
  /** The account's own chain up to there, and the sum of all its rows. */
  readonly account: AccountClaim;
  /** Grants that were live, and how far their own chains were verified. */
  readonly grants: readonly (Standing & { readonly id: string; readonly seq: bigint })[];
}

/**
 * Re-adds one account's ledger. Memory grows with the grants that hold money and with unpriced
 * requests, not with the rows.
 */
export interface AccountAudit {
  /** Takes rows by ascending seq. Those newer than the snapshot or already proven are skipped. */
  row(entry: Entry): void;
  /** Compares the sums with the account and its grants of the snapshot. */
  finish(): void;
  /** Repaired requests whose settlement rows were not read; pass those to `settledBefore`. */
  readonly repairedBefore: readonly string[];
  /** Takes the settlement rows of those requests. */
  settledBefore(entries: readonly Entry[]): void;
  /** Where the next audit can continue, after `finish`; undefined without an account. */
  readonly proof: Proof | undefined;
  readonly entries: bigint;
  readonly settledRequests: bigint;
  /** Rows after which the available balance was negative. */
  readonly overdrafts: number;
}

function compareMoney(sum: Money, claim: Claim, report: (sentence: string) => void): void {
  const money = balanceOf(claim);
  for (const column of ["available", "held", "charged", "writtenOff", "toppedUp"] as const) {
    if (sum[column] === money[column]) continue;
    report(`Account ${claim.account.id} has ${money[column]} ${column}, but its rows add up to ${sum[column]}.`);
  }
}

/**
 * Decides which rows had been written at the snapshot. A grant that is not live in it either ended
 * before it or began after it.
 */
function writtenBy(moment: {
  readonly account: Pick<AccountClaim, "seq">;
  readonly grants: readonly { readonly id: string; readonly seq: bigint }[];
}): (entry: Entry) => boolean {
  const lastOf = new Map(moment.grants.map(({ id, seq }) => [id, seq]));
  return (entry) => entry.seq <= ((entry.ofGrant ? lastOf.get(entry.grantId) : undefined) ?? moment.account.seq);
}

const aboutGrants: readonly string[] = ["grant", "release", "settle", "repair"];

/** Verifies an account's own chain, and passes on the rows that concern its grants. */
function auditChain(accountId: string, since: Proof | undefined, report: (sentence: string) => void) {
  const grants = auditGrants(
    report,
    since?.grants.map((grant) => [grant.id, grant]),
  );
  let head: Buffer = since?.account.head ?? chainStart;
  /** The last seq of all rows read here, and of those in the account's own chain. */
  let [latest, last] = [0n, since?.account.seq ?? 0n];
  return {
    row(entry: Entry): void {
      if (!hashOf(entry).equals(entry.hash)) report(`Row ${entry.id} was changed: its hash does not match.`);
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
      if (account.seq !== last)
        report(`Account ${accountId} names row ${account.seq} as its last, but the last row is ${last}.`);
      if (!account.head.equals(head)) report(`Account ${accountId} has a head that is not the hash of its last row.`);
      grants.compare(live);
    },
  };
}

export interface AccountAuditOptions {
  /** Undefined when the account does not exist; all rows are read then. */
  readonly claim: Claim | undefined;
  /** An earlier proof, whose rows need not be read again. */
  readonly since?: Proof | undefined;
  /** Receives one sentence per fault. */
  readonly report: (sentence: string) => void;
}

/** The proof for a claim that matched its rows. */
const proofOf = ({ account, live }: Claim, sum: Money): Proof => ({
  account: { ...account, money: sum },
  grants: live.map((grant) => ({ id: grant.id, seq: grant.seq, left: leftOf(grant), head: grant.head })),
});

export function auditAccount(accountId: string, options: AccountAuditOptions): AccountAudit {
  const { claim, since, report } = options;
  const isOfMoment = claim === undefined ? () => true : writtenBy({ account: claim.account, grants: claim.live });
  const isProved = since === undefined ? () => false : writtenBy(since);
  const chain = auditChain(accountId, since, report);
  const repairs = auditRepairs(report, since !== undefined);
  let sum = since?.account.money ?? noMoney;
  let repaid = since?.account.repaid ?? 0n;
  let entries = 0n;
  let settledRequests = 0n;
  let overdrafts = 0;
  return {
    row(entry) {
      if (!isOfMoment(entry) || isProved(entry)) return;
      entries += 1n;
      chain.row(entry);
      const change = changeOf(entry);
      if (!isBalanced(change)) report(`Row ${entry.id} does not balance.`);
      sum = addMoney(sum, change);
      if (entry.kind === "repayment") repaid += change.charged;
      if (change.writtenOff < 0n && entry.kind !== "repayment" && entry.kind !== "repair")
        report(`Row ${entry.id} reverses a write-off.`);
      if (sum.available < 0n) overdrafts++;
      if (!isSound(sum)) report(`Account ${accountId} had a balance below zero after row ${entry.id}.`);
      if (entry.kind === "settle") settledRequests += 1n;
      if (entry.kind !== "settle" && entry.kind !== "repair") return;
      const fault = settleFault(entry);
      if (fault !== undefined) report(`Row ${entry.id} ${fault}.`);
      repairs.row(entry);
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
      for (const grant of claim.live) if (!isLive(grant)) report(`Grant ${grant.id} is listed as live but has ended.`);
    },
    get repairedBefore() {
      return repairs.before;
    },
    settledBefore: repairs.settled,
    get proof() {
      return claim && proofOf(claim, sum);
    },
    get entries() {
      return entries;
    },
    get settledRequests() {
      return settledRequests;
    },
    get overdrafts() {
      return overdrafts;
    },
  };
}
