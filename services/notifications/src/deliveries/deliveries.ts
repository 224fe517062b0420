import { randomUUID } from "node:crypto";
import { isDuplicate } from "@uag/mongo/errors";
import type { TimePlace } from "@uag/mongo/paging";
import type { Collection, Connection } from "mongoose";

export const deliveryStates = ["pending", "delivered", "failed", "stopped"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

interface AttemptRecord {
  readonly at: Date;
  readonly durationMs: number;
  /** 0 when there was no response. */
  readonly status: number;
  /** Empty on success. */
  readonly error: string;
}

export interface DeliveryDocument {
  /** The webhook id. */
  readonly _id: string;
  readonly accountId: string;
  /** Every id by which the task can be found; the last is the one its owner was given. */
  readonly taskIds: string[];
  /** The spend alert that it is about; absent for a task's. */
  readonly alertId?: string;
  /** `mailto:` and an address for a mail. */
  readonly url: string;
  readonly type: string;
  readonly body: string;
  /** Of a mail. */
  readonly subject?: string;
  readonly state: DeliveryState;
  readonly createdAt: Date;
  /** A claim postpones this, which makes it the lease. */
  readonly dueAt: Date;
  readonly claim: string;
  /** Attempts of the current series: a replay begins a new one. */
  readonly tries: number;
  /** The most recent ones. */
  readonly attempts: AttemptRecord[];
}

/** What is to be sent. */
export type NewDelivery = Pick<
  DeliveryDocument,
  "_id" | "accountId" | "taskIds" | "alertId" | "url" | "type" | "body" | "subject"
>;

export interface Attempted {
  readonly attempt: AttemptRecord;
  readonly state: DeliveryState;
  /** Set while pending. */
  readonly dueAt?: Date;
}

export interface DeliveryQuery {
  /** Empty for all. */
  readonly accountId: string;
  readonly state: DeliveryState | undefined;
  /** Any of the task's ids; empty for all. */
  readonly taskId: string;
  /** Empty for all. */
  readonly alertId: string;
  readonly limit: number;
  readonly after: TimePlace | undefined;
  readonly maxTimeMS: number;
}

const keptAttempts = 50;
const keptSeconds = 90 * 86_400;
const maxReleased = 1_000;

/** Webhook deliveries, sent and pending, with every attempt. */
export class DeliveryStore {
  readonly #deliveries: Collection<DeliveryDocument>;

  constructor(connection: Connection) {
    this.#deliveries = connection.collection<DeliveryDocument>("deliveries");
  }

  async open(): Promise<void> {
    const ofAlerts = { partialFilterExpression: { alertId: { $exists: true } } };
    const pending = { partialFilterExpression: { state: "pending" } };
    await this.#deliveries.createIndex({ dueAt: 1 }, pending);
    await this.#deliveries.createIndex({ accountId: 1, createdAt: -1, _id: -1 });
    await this.#deliveries.createIndex({ createdAt: -1, _id: -1 });
    await this.#deliveries.createIndex({ taskIds: 1 });
    await this.#deliveries.createIndex({ alertId: 1, createdAt: -1, _id: -1 }, ofAlerts);
    await this.#deliveries.createIndex({ createdAt: 1 }, { expireAfterSeconds: keptSeconds });
  }

  /** Adds a message to be sent at `dueAt`, by default now; once per id, however often called. */
  async enqueue(message: NewDelivery, dueAt?: Date): Promise<void> {
    const now = new Date();
    const state = "pending" as const;
    const delivery = {
      ...message,
      state,
      createdAt: now,
      dueAt: dueAt ?? now,
      claim: "",
      tries: 0,
      attempts: [],
    };
    await this.#deliveries.insertOne(delivery).catch((error: unknown) => {
      if (!isDuplicate(error)) throw error;
    });
  }

  /** Claims due deliveries for `leaseMs`. No two callers get the same one. */
  async claimDue(limit: number, leaseMs: number): Promise<{ taken: DeliveryDocument[]; nextAt: Date | undefined }> {
    const now = new Date();
    const pending = { state: "pending" as const };
    const found = await this.#deliveries
      .find(pending, { projection: { dueAt: 1 } })
      .sort({ dueAt: 1 })
      .limit(limit)
      .toArray();
    const ids = found.filter(({ dueAt }) => dueAt <= now).map(({ _id }) => _id);
    const nextAt = found[ids.length]?.dueAt;
    if (ids.length === 0) return { taken: [], nextAt };
    const claim = randomUUID();
    await this.#deliveries.updateMany(
      { _id: { $in: ids }, ...pending, dueAt: { $lte: now } },
      { $set: { claim, dueAt: new Date(now.getTime() + leaseMs) } },
    );
    const taken = await this.#deliveries.find({ _id: { $in: ids }, claim }).toArray();
    return { taken, nextAt: ids.length === limit ? now : nextAt };
  }

  /** Releases a claimed delivery that was not attempted. */
  async later({ _id, claim }: DeliveryDocument, delayMs: number): Promise<void> {
    const dueAt = new Date(Date.now() + delayMs);
    await this.#deliveries.updateOne({ _id, claim }, { $set: { dueAt, claim: "" } });
  }

  /** Records an attempt, unless the delivery was claimed by another process since. */
  async attempted(delivery: DeliveryDocument, { attempt, state, dueAt }: Attempted): Promise<void> {
    await this.#deliveries.updateOne(
      { _id: delivery._id, claim: delivery.claim },
      {
        $set: { state, claim: "", ...(dueAt !== undefined && { dueAt }) },
        $inc: { tries: 1 },
        $push: { attempts: { $each: [attempt], $slice: -keptAttempts } },
      },
    );
  }

  /** Makes an account's pending mail to an address due. */
  async releaseMail(accountId: string, address: string): Promise<void> {
    const pending = await this.#deliveries
      .find({ accountId, state: "pending", url: /^mailto:/ }, { projection: { url: 1 } })
      .sort({ createdAt: -1 })
      .limit(maxReleased)
      .toArray();
    const ids = pending
      .filter(({ url }) => url.toLowerCase() === `mailto:${address.toLowerCase()}`)
      .map(({ _id }) => _id);
    await this.#deliveries.updateMany({ _id: { $in: ids }, state: "pending" }, { $set: { dueAt: new Date() } });
  }

  /** Starts a new series of attempts; undefined when there is no such delivery. */
  async replay(id: string): Promise<DeliveryDocument | undefined> {
    const again = { state: "pending" as const, dueAt: new Date(), tries: 0, claim: "" };
    const after = await this.#deliveries.findOneAndUpdate({ _id: id }, { $set: again }, { returnDocument: "after" });
    return after ?? undefined;
  }

  get(id: string): Promise<DeliveryDocument | null> {
    return this.#deliveries.findOne({ _id: id });
  }

  async list({
    accountId,
    state,
    taskId,
    alertId,
    limit,
    after,
    maxTimeMS,
  }: DeliveryQuery): Promise<DeliveryDocument[]> {
    const filter = {
      ...(accountId !== "" && { accountId }),
      ...(state !== undefined && { state }),
      ...(taskId !== "" && { taskIds: taskId }),
      ...(alertId !== "" && { alertId }),
      ...(after && { $or: [{ createdAt: { $lt: after.at } }, { createdAt: after.at, _id: { $lt: after.id } }] }),
    };
    return await this.#deliveries.find(filter, { maxTimeMS }).sort({ createdAt: -1, _id: -1 }).limit(limit).toArray();
  }
}
