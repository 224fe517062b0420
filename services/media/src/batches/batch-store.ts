import { GatewayError } from "@uag/contract/errors/gateway-error";
import { collectionOf } from "@uag/mongo/collection";
import { isDuplicate } from "@uag/mongo/errors";
import { toStoreError } from "@uag/mongo/store-error";
import { newId } from "@uag/runtime/ids";
import type { ClientSession, Connection, mongo } from "mongoose";
import { type BatchDocument, type BatchOwner, statusOf } from "./batch.ts";

/** How long a worker has a batch without renewing its claim. */
export const leaseMs = 12_000;
/** How long a batch can be read after its end. */
const keptSeconds = 90 * 86_400;
/** How many of an account's batches can be read; its oldest that have ended are deleted beyond that. */
const maxKept = 10_000;

/** A change to a batch by the worker that has claimed it. */
export type BatchUpdate = mongo.UpdateFilter<BatchDocument>;

/** Which of an owner's batches to list. */
export interface BatchPage {
  readonly limit: number;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** What {@link BatchStore} works with. */
export interface BatchStoreOptions {
  readonly connection: Connection;
  /** How many unfinished batches an account may have. */
  readonly maxLive: number;
  /** The database's time, Unix milliseconds. */
  readonly now: () => number;
}

/**
 * Batches in MongoDB. A worker's every write names its claim, so that one whose claim has passed to
 * another changes nothing.
 */
export class BatchStore {
  readonly #options: BatchStoreOptions;
  readonly #batches: mongo.Collection<BatchDocument>;

  constructor(options: BatchStoreOptions) {
    this.#options = options;
    this.#batches = collectionOf<BatchDocument>(options.connection, "batches");
  }

  async open(): Promise<void> {
    await this.#batches.createIndexes([
      { key: { accountId: 1, _id: -1 } },
      {
        key: { accountId: 1, keyId: 1, idempotencyKey: 1 },
        unique: true,
        partialFilterExpression: { idempotencyKey: { $type: "string" } },
      },
      { key: { dueAt: 1 }, partialFilterExpression: { live: true } },
      { key: { endedAt: 1 }, expireAfterSeconds: keptSeconds },
    ]);
  }

  /**
   * Stores a batch, unless one of the same key was created with its idempotency key; returns the
   * stored one.
   * @throws {GatewayError} `too_many_open_requests`, `service_unavailable`
   */
  async create(batch: BatchDocument): Promise<BatchDocument> {
    const { accountId, keyId, idempotencyKey } = batch;
    await this.#prune(accountId);
    try {
      await this.#batches.insertOne(batch);
    } catch (error) {
      if (!isDuplicate(error) || idempotencyKey === undefined) throw toStoreError(error);
      return found(await this.#batches.findOne({ accountId, keyId, idempotencyKey }).catch(unavailable));
    }
    // Of concurrent batches each counts the others, so that together they never exceed the limit.
    const { maxLive } = this.#options;
    const live = await this.#batches.countDocuments({ accountId, live: true }).catch(unavailable);
    if (live <= maxLive) return batch;
    // A worker may have it already. Once a line was sent it is not refused, as it costs something.
    const unsent = { _id: batch._id, begun: false, parts: [] };
    const { deletedCount } = await this.#batches.deleteOne(unsent).catch(unavailable);
    if (deletedCount === 0) return batch;
    throw new GatewayError(
      "too_many_open_requests",
      `An account can have ${maxLive} unfinished batches. Wait for some to end, or cancel them.`,
    );
  }

  /** Deletes an account's oldest batches, so that one more can be kept; those that run stay. */
  async #prune(accountId: string): Promise<void> {
    const newest = this.#batches.find({ accountId }, { projection: { _id: 1 } }).sort({ _id: -1 });
    const [excess] = await newest
      .skip(maxKept - 1)
      .limit(1)
      .toArray()
      .catch(unavailable);
    if (excess === undefined) return;
    await this.#batches.deleteMany({ accountId, _id: { $lte: excess._id }, live: false }).catch(unavailable);
  }

  /** @throws {GatewayError} `not_found` also for another account's batch */
  async find({ accountId, format }: BatchOwner, id: string): Promise<BatchDocument> {
    return found(await this.#batches.findOne({ _id: id, accountId, format }).catch(unavailable));
  }

  /** An account's batches, newest first: a page before or after one of them. */
  async list({ accountId, format }: BatchOwner, { limit, after, before }: BatchPage): Promise<BatchDocument[]> {
    const id = before === undefined ? after && { $lt: after } : { $gt: before };
    const found = await this.#batches
      .find({ accountId, format, ...(id && { _id: id }) })
      .sort({ _id: before === undefined ? -1 : 1 })
      .limit(limit)
      .toArray()
      .catch(unavailable);
    return before === undefined ? found : found.reverse();
  }

  /**
   * Deletes a batch that has ended; returns it.
   * @throws {GatewayError} `not_found`; `invalid_request` while it runs
   */
  async delete(owner: BatchOwner, id: string): Promise<BatchDocument> {
    const batch = await this.find(owner, id);
    if (batch.live)
      throw new GatewayError("invalid_request", "A batch can be deleted once it has ended. Cancel it first.");
    await this.#batches.deleteOne({ _id: id, live: false }).catch(unavailable);
    return batch;
  }

  /**
   * Stops a batch: a worker that runs it notices within seconds.
   * @throws {GatewayError} `not_found`; `invalid_request` once its results are being assembled
   */
  async cancel(owner: BatchOwner, id: string): Promise<BatchDocument> {
    const at = new Date(this.#options.now());
    const running = { status: { $in: ["validating", "in_progress"] }, "at.cancelling": { $exists: false } };
    await this.#batches
      .updateOne({ _id: id, ...owner, ...running } as never, { $set: { "at.cancelling": at } })
      .catch(unavailable);
    const batch = await this.find(owner, id);
    if (statusOf(batch) === "cancelling") return batch;
    throw new GatewayError("invalid_request", `A batch that is ${batch.status} cannot be cancelled.`);
  }

  /**
   * Claims the batch that has waited longest, if any.
   * @param except accounts whose batches are not claimed
   */
  async claim(except: readonly string[]): Promise<BatchDocument | undefined> {
    const due = { live: true, accountId: { $nin: [...except] }, $expr: { $lte: ["$dueAt", "$$NOW"] } };
    const claim = newId("claim");
    const claimed = await this.#batches.findOneAndUpdate(due, [{ $set: { claim, dueAt: later } }], {
      sort: { dueAt: 1 },
      returnDocument: "after",
    });
    return claimed ?? undefined;
  }

  /** Renews a claim; undefined when another worker has it. */
  async renew({ _id, claim }: BatchDocument): Promise<BatchDocument | undefined> {
    const renewed = await this.#batches.findOneAndUpdate({ _id, claim }, [{ $set: { dueAt: later } }], {
      returnDocument: "after",
    });
    return renewed ?? undefined;
  }

  /** Records that lines of the next slice are being sent. False when another worker has the batch. */
  async begin({ _id, claim, begun }: BatchDocument): Promise<boolean> {
    const set = { begun: true, ...(!begun && { begunAt: new Date(this.#options.now()) }) };
    return (await this.#batches.updateOne({ _id, claim }, { $set: set })).matchedCount === 1;
  }

  /**
   * Ends a claim with what its step has done, all or nothing. False when another worker has the
   * batch: then nothing is changed.
   */
  async commit({ _id, claim }: BatchDocument, update: BatchUpdate, session?: ClientSession): Promise<boolean> {
    const released = { claim: "", dueAt: new Date(this.#options.now()), begun: false };
    const whole = { ...update, $set: { ...update.$set, ...released } } as BatchUpdate;
    const options = session === undefined ? {} : { session };
    return (await this.#batches.updateOne({ _id, claim }, whole, options)).matchedCount === 1;
  }

  /** Ends a claim without a result: any worker may repeat its step, after a delay. */
  async release({ _id, claim }: BatchDocument, delayMs: number): Promise<void> {
    const dueAt = new Date(this.#options.now() + delayMs);
    await this.#batches.updateOne({ _id, claim }, { $set: { claim: "", dueAt } });
  }
}

const later = { $add: ["$$NOW", leaseMs] };

function unavailable(error: unknown): never {
  throw toStoreError(error);
}

function found(batch: BatchDocument | null): BatchDocument {
  if (batch === null) throw new GatewayError("not_found", "The batch does not exist.", { param: "id" });
  return batch;
}
