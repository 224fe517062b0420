import type { FetchBudgetDocument, FetchLease } from "@uag/ledger/documents/fetch-budgets";
import type { Store } from "@uag/ledger/documents/store";

const hourMs = 3_600_000;
/** How long billing remembers a lease, so that unused permits can still be given back after an outage. */
const rememberedMs = 600_000;
/** A lease takes at most this fraction (1/n) of what is left, unless more fetches wait. */
const share = 16;

/** What a replica asks for, and the lease that it ends. */
export interface FetchTerms {
  readonly accountId: string;
  readonly leaseId: string;
  readonly need: number;
  readonly want: number;
  readonly endedLeaseId: string;
  readonly unused: number;
}

/** Permits that were leased, and the time until the next one is free if too few were. */
export interface FetchesLeased {
  readonly leased: number;
  /** Milliseconds; 0 when the need was met. */
  readonly retryAfterMs: number;
}

/** How much of its budget an account has used. */
export interface FetchUse {
  readonly used: number;
  /** Milliseconds until it is full again. */
  readonly fullInMs: number;
}

/**
 * How many URLs each account may have fetched per hour: one bucket for all replicas of all services,
 * by the database's clock.
 */
export class FetchBudget {
  readonly perHour: number;
  readonly #budgets: Store["fetchBudgets"];

  constructor(budgets: Store["fetchBudgets"], perHour: number) {
    this.#budgets = budgets;
    this.perHour = perHour;
  }

  /** Leases what is left, at most what is wanted. Sent again, a call changes nothing more. */
  async lease({ accountId, leaseId, need, want, endedLeaseId, unused }: FetchTerms): Promise<FetchesLeased> {
    const part = { $max: [need, { $min: [want, { $floor: { $divide: ["$left", share] } }] }] };
    const news = { id: leaseId, count: "$granted", until: { $add: ["$$NOW", rememberedMs] } };
    const after = await this.#budgets.collection.findOneAndUpdate(
      { _id: accountId as never },
      [
        { $set: { left: this.#refilled, at: "$$NOW", leases: remembered } },
        {
          $set: {
            left: { $min: [this.perHour, { $add: ["$left", { $min: [unused, countOf(endedLeaseId)] }] }] },
            leases: without(endedLeaseId),
          },
        },
        { $set: { granted: { $cond: [{ $in: [leaseId, "$leases.id"] }, 0, { $min: [{ $floor: "$left" }, part] }] } } },
        {
          $set: {
            left: { $subtract: ["$left", "$granted"] },
            leases: { $concatArrays: ["$leases", { $cond: [{ $gt: ["$granted", 0] }, [news], []] }] },
          },
        },
        { $unset: "granted" },
      ],
      { upsert: true, returnDocument: "after" },
    );
    const { left, leases } = after as unknown as FetchBudgetDocument;
    const leased = leases.find(({ id }: FetchLease) => id === leaseId)?.count ?? 0;
    return { leased, retryAfterMs: leased < need ? Math.ceil(this.#refillMs(1 - left)) : 0 };
  }

  /** How much the account has used, by its latest lease. */
  async read(accountId: string): Promise<FetchUse> {
    const [found] = await this.#budgets.collection
      .aggregate<{ left: number }>([{ $match: { _id: accountId } }, { $project: { left: this.#refilled } }])
      .toArray();
    const used = this.perHour - (found?.left ?? this.perHour);
    return { used: Math.ceil(used), fullInMs: Math.ceil(this.#refillMs(used)) };
  }

  #refillMs(permits: number): number {
    return Math.max(0, (permits / this.perHour) * hourMs);
  }

  /** The aggregation expression for what is left now. */
  get #refilled() {
    const { perHour } = this;
    const elapsed = { $divide: [{ $subtract: ["$$NOW", { $ifNull: ["$at", "$$NOW"] }] }, hourMs] };
    return { $min: [perHour, { $add: [{ $ifNull: ["$left", perHour] }, { $multiply: [elapsed, perHour] }] }] };
  }
}

const remembered = {
  $filter: { input: { $ifNull: ["$leases", []] }, cond: { $gt: ["$$this.until", "$$NOW"] } },
};

const without = (id: string) => ({ $filter: { input: "$leases", cond: { $ne: ["$$this.id", id] } } });

/** The permits of a lease; 0 when it is not remembered. */
const countOf = (id: string) => ({
  $sum: { $map: { input: "$leases", in: { $cond: [{ $eq: ["$$this.id", id] }, "$$this.count", 0] } } },
});
