import type { Store } from "./store.ts";

/** How many at once, and how many more per second. */
export interface Rate {
  readonly free: number;
  readonly perSecond: number;
}

/** A leaky bucket: what it counts, and its rate. */
export interface Bucket extends Rate {
  readonly id: string;
}

/** How full a bucket is. */
export interface Level {
  readonly used: number;
  /** Until it is empty, milliseconds; 0 if it is. */
  readonly emptyInMs: number;
}

const seconds = { $divide: [{ $subtract: ["$$NOW", { $ifNull: ["$at", "$$NOW"] }] }, 1_000] };
const drained = ({ perSecond }: Rate) => ({
  $max: [0, { $subtract: [{ $ifNull: ["$level", 0] }, { $multiply: [seconds, perSecond] }] }],
});

/** Leaky buckets shared by all replicas, by the database's clock. */
export class Buckets {
  readonly #buckets: Store["signInTries"]["collection"];

  constructor({ signInTries }: Pick<Store, "signInTries">) {
    this.#buckets = signInTries.collection;
  }

  /** Counts one. @returns milliseconds to wait; 0 when it is counted */
  async take({ id, ...rate }: Bucket): Promise<number> {
    const { free, perSecond } = rate;
    const emptyMs = ((free + 1) / perSecond) * 1_000;
    const after = await this.#buckets.findOneAndUpdate(
      { _id: id as never },
      [
        { $set: { level: drained(rate), at: "$$NOW", endsAt: { $add: ["$$NOW", emptyMs] } } },
        { $set: { allowed: { $lte: ["$level", free - 1] } } },
        { $set: { level: { $cond: ["$allowed", { $add: ["$level", 1] }, "$level"] } } },
      ],
      { upsert: true, returnDocument: "after" },
    );
    if (after === null || after["allowed"] === true) return 0;
    return Math.ceil(((Number(after["level"]) - free + 1) / perSecond) * 1_000);
  }

  async refund(buckets: readonly Bucket[]): Promise<void> {
    const ids = buckets.map(({ id }) => id);
    const less = { $max: [0, { $subtract: ["$level", 1] }] };
    if (ids.length > 0) await this.#buckets.updateMany({ _id: { $in: ids as never[] } }, [{ $set: { level: less } }]);
  }

  async read({ id, ...rate }: Bucket): Promise<Level> {
    const found = this.#buckets.aggregate<{ level: number }>([
      { $match: { _id: id } },
      { $project: { level: drained(rate) } },
    ]);
    const level = (await found.next())?.level ?? 0;
    return { used: Math.min(rate.free, Math.ceil(level)), emptyInMs: Math.ceil((level / rate.perSecond) * 1_000) };
  }
}
