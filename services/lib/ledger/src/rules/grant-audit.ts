import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import { chainStart } from "./entry.ts";
import { type Grant, leftOf } from "./grant.ts";

/** A grant's state according to the rows so far. */
export interface Standing {
  /** What it holds, nano-USD. */
  readonly left: bigint;
  /** Head of its own chain. */
  readonly head: Buffer;
}

const nothing: Standing = { left: 0n, head: chainStart };

/** Verifies the grants of one account while reading its rows. */
export interface GrantAudit {
  /** A row of a grant's own chain. */
  own(entry: Entry): void;
  /** A row of the account's chain that concerns a grant. */
  ofAccount(entry: Entry): void;
  /** Compares the result with the grants that are live after the last row. */
  compare(live: readonly Grant[]): void;
}

/** @param before grants that held money where this audit continues */
export function auditGrants(report: (sentence: string) => void, before: Iterable<[string, Standing]> = []): GrantAudit {
  const standings = new Map<string, Standing>(before);
  const standingOf = (grantId: string): Standing => standings.get(grantId) ?? nothing;

  function change(entry: Entry, head: Buffer): void {
    const left = standingOf(entry.grantId).left + entry.heldNanoUsd;
    if (left < 0n) report(`Grant ${entry.grantId} held ${left} after row ${entry.id}.`);
    if (left === 0n && head.equals(chainStart)) standings.delete(entry.grantId);
    else standings.set(entry.grantId, { left, head });
  }

  return {
    own(entry) {
      const follows = standingOf(entry.grantId).head.equals(entry.previousHash);
      if (!follows) report(`Row ${entry.id} does not follow the previous row of its grant.`);
      change(entry, entry.hash);
    },
    ofAccount(entry) {
      const { head } = standingOf(entry.grantId);
      const reported = entry.grantHead.length > 0 ? entry.grantHead : chainStart;
      // The row of a request charged beyond its grant does not report the grant's head.
      const reports = entry.grantHead.length > 0 || entry.endsGrant || entry.kind === "release";
      if (reports && !head.equals(reported))
        report(`Row ${entry.id} names a last row of its grant that does not match.`);
      change(entry, entry.endsGrant ? chainStart : head);
    },
    compare(live) {
      for (const grant of live) {
        const { left, head } = standingOf(grant.id);
        const has = leftOf(grant);
        if (has !== left) report(`Grant ${grant.id} has ${has} left, but its rows add up to ${left}.`);
        if (!grant.head.equals(head)) report(`Grant ${grant.id} has a head that is not the hash of its last row.`);
        standings.delete(grant.id);
      }
      for (const [id, { left }] of standings) report(`Grant ${id} has ended, but its rows still hold ${left}.`);
    },
  };
}
