import assert from "node:assert/strict";
import { type CredentialSpend, credentialCharge, spendLease } from "@uag/ledger/rules/credential-spend";
import { smaller } from "@uag/ledger/rules/money";
import type { LeaseSpendRequest, LeaseSpendResponse } from "@uag/proto/billing/v1/grants.ts";
import type { Entry } from "@uag/proto/billing/v1/ledger.ts";
import { pool } from "./pool.ts";

const unused = { spent: 0n, leased: 0n, sequence: 0n };

/** What the credentials of the pool have leased and spent, in billing's database. */
export class Spending {
  /** By credential, day and holder. */
  readonly #rows = new Map<string, CredentialSpend>();
  /** What counts against caps, by credential and day or month: costs, each up to its hold. */
  readonly #covered = new Map<string, bigint>();

  /** Billing's call, which leases a part of what a credential's caps leave. */
  lease(request: LeaseSpendRequest): LeaseSpendResponse {
    const { credentialId, holderId, day, sequence, leastNanoUsd: least, wantNanoUsd: want } = request;
    const { dailyCapNanoUsd: daily, monthlyCapNanoUsd: monthly } = request;
    const month = `${credentialId}/${day.slice(0, 7)}`;
    const rows = [...this.#rows].flatMap(([id, row]) => (id.startsWith(month) ? [row] : []));
    const { leased, isLate } = spendLease(rows, { holderId, day, sequence, least, want, daily, monthly });
    const id = `${credentialId}/${day}/${holderId}`;
    if (!isLate) this.#rows.set(id, { ...this.#rowOf(id, { day, holderId }), leased, sequence });
    return { leasedNanoUsd: leased, untilMs: 0n };
  }

  #rowOf(id: string, of: Pick<CredentialSpend, "day" | "holderId">): CredentialSpend {
    return this.#rows.get(id) ?? { ...unused, ...of };
  }

  /** Everything that a holder spent is in the ledger, so its leases end. */
  closed(holderId: string): void {
    for (const [id, row] of this.#rows) if (row.holderId === holderId) this.#rows.set(id, { ...row, leased: 0n });
  }

  /**
   * Counts the rows of one transaction.
   * @throws {AssertionError} when a credential has spent more than a cap, except by costs above holds
   */
  booked(entries: readonly Entry[]): void {
    for (const { event } of entries) {
      const charge = event && credentialCharge(event);
      if (charge === undefined) continue;
      const { credentialId, day, holderId, spent } = charge;
      const id = `${credentialId}/${day}/${holderId}`;
      const row = this.#rowOf(id, { day, holderId });
      this.#rows.set(id, { ...row, spent: row.spent + spent });
      const { holdNanoUsd: hold } = event as NonNullable<Entry["event"]>;
      this.#count(credentialId, day, smaller(spent, hold));
    }
  }

  #count(credentialId: string, day: string, amount: bigint): void {
    const caps = pool.find(({ provider }) => provider.credential.id === credentialId)?.provider.credential.caps;
    assert.ok(caps !== undefined, `${credentialId} has no cap`);
    for (const [period, cap] of [
      [day, caps.daily],
      [day.slice(0, 7), caps.monthly],
    ] as const) {
      const id = `${credentialId}/${period}`;
      const all = (this.#covered.get(id) ?? 0n) + amount;
      this.#covered.set(id, all);
      assert.ok(cap === undefined || all <= cap, `${all} are spent with ${credentialId} in ${period}, above its cap`);
    }
  }

  /**
   * Compares what was counted with the rows of the ledger, when nothing is in flight.
   * @throws {AssertionError} when a row is missing, or counts twice
   */
  compare(entries: readonly Entry[]): void {
    const sums = new Map<string, bigint>();
    for (const { event } of entries) {
      if (event?.upstreamCredentialId === undefined || event.costNanoUsd === 0n) continue;
      const id = event.upstreamCredentialId;
      sums.set(id, (sums.get(id) ?? 0n) + event.costNanoUsd);
    }
    for (const { provider } of pool) {
      const { id } = provider.credential;
      let counted = 0n;
      for (const [rowId, { spent }] of this.#rows) if (rowId.startsWith(`${id}/`)) counted += spent;
      assert.equal(counted, sums.get(id) ?? 0n, `what counts as spent with ${id} is not what its rows cost`);
    }
  }
}
