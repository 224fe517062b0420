import type { Collection, Connection } from "mongoose";

interface Bucket {
  readonly _id: string;
  readonly granted: number;
}

/**
 * A limit of calls per second to each provider, across all replicas: a token bucket by the
 * database's clock.
 */
export class RateGate {
  readonly #buckets: Collection<Bucket>;
  readonly #perSecond: number;

  constructor(connection: Connection, perSecond: number) {
    this.#buckets = connection.collection<Bucket>("rates");
    this.#perSecond = perSecond;
  }

  /** Takes up to `want` calls; returns how many may be made now. */
  async take(provider: string, want: number): Promise<number> {
    const perSecond = this.#perSecond;
    const max = Math.max(1, perSecond);
    const elapsed = { $divide: [{ $subtract: ["$$NOW", { $ifNull: ["$at", "$$NOW"] }] }, 1_000] };
    const refilled = { $add: [{ $ifNull: ["$tokens", max] }, { $multiply: [elapsed, perSecond] }] };
    const bucket = await this.#buckets.findOneAndUpdate(
      { _id: provider },
      [
        { $set: { tokens: { $min: [max, refilled] }, at: "$$NOW" } },
        { $set: { granted: { $min: [want, { $toInt: { $floor: "$tokens" } }] } } },
        { $set: { tokens: { $subtract: ["$tokens", "$granted"] } } },
      ],
      { upsert: true, returnDocument: "after" },
    );
    return Number(bucket?.granted ?? 0);
  }
}
