import { randomUUID } from "node:crypto";
import { isDuplicate } from "@uag/mongo/errors";
import type { Connection, Model } from "mongoose";
import type { Created, EndOptions, Insertion, ListQuery, Reschedule, Sent, TerminalState } from "./changes.ts";
import { type Outbox, type TaskDocument, taskModel } from "./task.ts";

/**
 * The tasks in MongoDB. Every change is a single write whose filter names the state it applies to.
 */
export class TaskStore {
  readonly #tasks: Model<TaskDocument>;

  constructor(connection: Connection) {
    this.#tasks = taskModel(connection);
  }

  async open(): Promise<void> {
    await this.#tasks.createCollection();
    await this.#tasks.createIndexes();
  }

  /**
   * Inserts a task; returns the existing one if the same idempotency key has created one already.
   */
  async insert(task: TaskDocument): Promise<Insertion> {
    try {
      await this.#tasks.collection.insertOne({ ...task } as never);
      return { kind: "inserted" };
    } catch (error) {
      const { accountId, idempotencyKey } = task;
      if (!isDuplicate(error) || idempotencyKey === undefined) throw error;
      const known = await this.#tasks.findOne({ accountId, idempotencyKey }).lean<TaskDocument>();
      if (known === null) throw error;
      return { kind: "known", task: known };
    }
  }

  /** Deletes a task that never started: no money was reserved and no provider was called. */
  async discard(id: string): Promise<void> {
    await this.#tasks.deleteOne({ _id: id, live: true, upstreamId: { $exists: false }, grantId: { $exists: false } });
  }

  async forgetKey(id: string): Promise<void> {
    await this.#tasks.updateOne({ _id: id }, { $unset: { idempotencyKey: 1 } });
  }

  /**
   * Hides a task for which no provider was asked, because its hold was not confirmed. Its recovery
   * releases whatever was held.
   */
  async abandon(id: string): Promise<void> {
    await this.#tasks.updateOne({ _id: id }, { $set: { hidden: true }, $unset: { idempotencyKey: 1 } });
  }

  /**
   * Records the state of a task that may have reached a provider by now; false when it was taken
   * over or has ended.
   */
  async sending(id: string, sent: Sent): Promise<boolean> {
    const filter = { _id: id, live: true, claim: "", upstreamId: { $exists: false } };
    return (await this.#tasks.updateOne(filter, { $set: defined(sent) })).matchedCount > 0;
  }

  /**
   * Records that its owner was given our own id while the provider's is unknown, so our id stays
   * the one shown.
   * @returns the task as stored
   */
  async recordResponse(task: TaskDocument): Promise<TaskDocument> {
    const { _id } = task;
    const filter = { _id, upstreamId: { $exists: false } };
    await this.#tasks.updateOne(filter, { $set: { answered: true } });
    return (await this.#tasks.findOne({ _id }).lean<TaskDocument>()) ?? task;
  }

  /** Records the provider's id; undefined when the task already has one or has ended. */
  async created(id: string, created: Created): Promise<TaskDocument | undefined> {
    const { ids, ...set } = created;
    // The last id is shown. If the owner was given ours, the provider's is added before it.
    for (const answered of [false, true]) {
      const filter = { _id: id, live: true, upstreamId: { $exists: false }, answered: { $exists: answered } };
      const Push = { ids: answered ? { $each: ids, $position: 0 } : { $each: ids } };
      const update = { $set: { ...set, misses: 0, updatedAt: new Date() }, $push: Push };
      const task = await this.#tasks
        .findOneAndUpdate(filter, update, { returnDocument: "after" })
        .lean<TaskDocument>()
        .catch((error: unknown) => {
          // Another task has that id, so it is not this one's.
          if (isDuplicate(error)) return null;
          throw error;
        });
      if (task !== null) return task;
    }
    return undefined;
  }

  /** Ends a task, once. Undefined when it had already ended or no longer matches the options. */
  async end(id: string, terminal: TerminalState, options: EndOptions): Promise<TaskDocument | undefined> {
    const { outbox, ...state } = terminal;
    const set = {
      ...defined(state),
      live: false,
      updatedAt: terminal.endedAt,
      outbox,
      outboxAt: new Date(Date.now() + options.outboxMs),
      outboxClaim: randomUUID(),
      outboxTries: 0,
    };
    const filter = {
      _id: id,
      live: true,
      ...(options.claim !== undefined && { claim: options.claim }),
      ...(options.unmade === true && { upstreamId: { $exists: false } }),
    };
    const ended = await this.#tasks
      .findOneAndUpdate(filter, { $set: set }, { returnDocument: "after" })
      .lean<TaskDocument>();
    return ended ?? undefined;
  }

  find(accountId: string, id: string): Promise<TaskDocument | null> {
    return this.#tasks
      .findOne({ accountId, ids: id, hidden: false })
      .hint({ accountId: 1, ids: 1 })
      .lean<TaskDocument>();
  }

  list(query: ListQuery): Promise<TaskDocument[]> {
    const { accountId, limit, after, status, model, maxTimeMS } = query;
    const filter = {
      accountId,
      hidden: false,
      ...(after !== undefined && { _id: { $lt: after } }),
      ...(status !== undefined && { status }),
      ...(model !== undefined && { model }),
    };
    return this.#tasks.find(filter).sort({ _id: -1 }).limit(limit).maxTimeMS(maxTimeMS).lean<TaskDocument[]>();
  }

  /** Those of the tasks that have ended. */
  ended(ids: readonly string[]): Promise<TaskDocument[]> {
    return this.#tasks.find({ _id: { $in: [...ids] }, live: false }).lean<TaskDocument[]>();
  }

  /** The due times of a provider's next tasks, soonest first. */
  soonest(provider: string, limit: number): Promise<Pick<TaskDocument, "_id" | "dueAt">[]> {
    return this.#tasks
      .find({ provider, live: true }, { dueAt: 1 })
      .sort({ dueAt: 1 })
      .limit(limit)
      .lean<Pick<TaskDocument, "_id" | "dueAt">[]>();
  }

  /** Claims those of the tasks that are due, for `leaseMs`. No two callers get the same one. */
  async claimDue(ids: readonly string[], leaseMs: number): Promise<TaskDocument[]> {
    const now = Date.now();
    const claim = randomUUID();
    const filter = { _id: { $in: [...ids] }, live: true, dueAt: { $lte: new Date(now) } };
    const { modifiedCount } = await this.#tasks.updateMany(filter, {
      $set: { claim, dueAt: new Date(now + leaseMs) },
      $inc: { polls: 1 },
    });
    if (modifiedCount === 0) return [];
    return await this.#tasks.find({ _id: { $in: [...ids] }, claim }).lean<TaskDocument[]>();
  }

  /** Reschedules tasks, each only if it was not claimed since. */
  async reschedule(changes: readonly Reschedule[]): Promise<void> {
    if (changes.length === 0) return;
    const updatedAt = new Date();
    await this.#tasks.bulkWrite(
      changes.map(({ id, claim, fault, ...set }) => ({
        updateOne: {
          filter: { _id: id, claim, live: true },
          update: { $set: { ...set, ...(fault && { fault }), updatedAt }, ...(!fault && { $unset: { fault: 1 } }) },
        },
      })),
      { ordered: false },
    );
  }

  async setGrant(id: string, grantId: string): Promise<void> {
    await this.#tasks.updateOne({ _id: id, live: true }, { $set: { grantId } });
  }

  /** Which of the provider's ids belong to our tasks. */
  async known(provider: string, upstreamIds: readonly string[]): Promise<Set<string>> {
    const filter = { provider, upstreamId: { $in: [...upstreamIds] } };
    const found = await this.#tasks.find(filter, { upstreamId: 1 }).lean<Pick<TaskDocument, "upstreamId">[]>();
    return new Set(found.flatMap(({ upstreamId }) => upstreamId ?? []));
  }

  /**
   * Number of tasks, this one included, that lack a provider id and were submitted to the same
   * provider and model within `withinMs` of it.
   */
  lostBeside(task: TaskDocument, withinMs: number): Promise<number> {
    const { provider, upstreamModel, createdAt } = task;
    const from = new Date(createdAt.getTime() - withinMs);
    const until = new Date(createdAt.getTime() + withinMs);
    const lost = { live: true, hidden: false, upstreamId: { $exists: false } };
    return this.#tasks.countDocuments({ provider, upstreamModel, ...lost, createdAt: { $gte: from, $lte: until } });
  }

  liveProviders(): Promise<string[]> {
    return this.#tasks.distinct("provider", { live: true });
  }

  /** Claims ended tasks with a pending outbox. `nextAt` is when the next one falls due. */
  async claimOutbox(limit: number, leaseMs: number): Promise<{ taken: TaskDocument[]; nextAt: Date | undefined }> {
    const now = new Date();
    const found = await this.#tasks
      .find({ outboxAt: { $type: "date" } }, { outboxAt: 1 })
      .sort({ outboxAt: 1 })
      .limit(limit)
      .lean<Pick<TaskDocument, "_id" | "outboxAt">[]>();
    const ids = found.flatMap(({ _id, outboxAt }) => (outboxAt !== undefined && outboxAt <= now ? [_id] : []));
    const nextAt = found[ids.length]?.outboxAt;
    if (ids.length === 0) return { taken: [], nextAt };
    const claim = randomUUID();
    await this.#tasks.updateMany(
      { _id: { $in: ids }, outboxAt: { $lte: now } },
      { $set: { outboxClaim: claim, outboxAt: new Date(now.getTime() + leaseMs) } },
    );
    const taken = await this.#tasks.find({ _id: { $in: ids }, outboxClaim: claim }).lean<TaskDocument[]>();
    return { taken, nextAt: ids.length === limit ? now : nextAt };
  }

  async outboxDone(id: string): Promise<void> {
    await this.#tasks.updateOne({ _id: id }, { $unset: { outbox: 1, outboxAt: 1, outboxClaim: 1, outboxTries: 1 } });
  }

  /** Postpones an outbox that failed, without the step that is done. */
  async outboxLater(
    { _id, outboxClaim }: TaskDocument,
    { delayMs, done }: { readonly delayMs: number; readonly done: keyof Outbox | undefined },
  ): Promise<void> {
    const outboxAt = new Date(Date.now() + delayMs);
    const failed = { $set: { outboxAt }, $inc: { outboxTries: 1 } };
    const update = { ...failed, ...(done !== undefined && { $unset: { [`outbox.${done}`]: 1 } }) };
    await this.#tasks.updateOne({ _id, outboxClaim } as never, update);
  }
}

function defined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as Partial<T>;
}
