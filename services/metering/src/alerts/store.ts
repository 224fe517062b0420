import { GatewayError } from "@uag/contract/errors/gateway-error";
import { collectionOf } from "@uag/mongo/collection";
import type { DatabaseClock } from "@uag/mongo/database-clock";
import type { Actor } from "@uag/proto/common/v1/actor.ts";
import { newId } from "@uag/runtime/ids";
import type { Connection, mongo } from "mongoose";
import type { AlertDocument, MonthFull, Notice, Terms } from "./alert.ts";
import { RecipientStore } from "./recipients.ts";

const maxAlerts = 20;
const keptNotices = 50;
/** A test button must not become a way to flood a stranger's mailbox. */
const testPauseMs = 10_000;

export interface AlertStoreOptions {
  readonly clock: Pick<DatabaseClock, "moment">;
  /** Asks addresses to confirm that they want an account's mail, where they have not. */
  readonly requestConfirmations: (request: { accountId: string; addresses: string[] }) => Promise<unknown>;
}

export interface NewAlert {
  readonly accountId: string;
  readonly keyId: string;
  /** Empty for none. */
  readonly budgetId: string;
  readonly terms: Terms;
  readonly actor: Actor | undefined;
}

const missing = (): GatewayError => new GatewayError("not_found", "The alert does not exist.", { param: "id" });

/** Alerts, their settings, and what they have reported. */
export class AlertStore {
  readonly #alerts: mongo.Collection<AlertDocument>;
  readonly #recipients: RecipientStore;
  readonly #options: AlertStoreOptions;

  constructor(connection: Connection, options: AlertStoreOptions) {
    this.#options = options;
    this.#alerts = collectionOf<AlertDocument>(connection, "alerts");
    this.#recipients = new RecipientStore(connection);
  }

  async open(): Promise<void> {
    await this.#alerts.createIndex({ dueAt: 1 });
    await this.#alerts.createIndex({ accountId: 1, createdAt: 1 });
  }

  /**
   * @throws {GatewayError} `invalid_request` above the account's maximum, `rate_limit_exceeded`
   * when no further address can be asked for confirmation now
   */
  async create({ accountId, keyId, budgetId, terms, actor }: NewAlert): Promise<AlertDocument> {
    if ((await this.#alerts.countDocuments({ accountId }, { limit: maxAlerts })) >= maxAlerts) {
      throw new GatewayError("invalid_request", `An account can have at most ${maxAlerts} alerts.`, {
        param: "account_id",
      });
    }
    await this.#addRecipients(accountId, terms.emails);
    const now = new Date(await this.#options.clock.moment());
    const made: AlertDocument = {
      _id: newId("alert"),
      accountId,
      keyId,
      ...(budgetId !== "" && { budgetId }),
      ...terms,
      createdAt: now,
      ...(actor !== undefined && { createdBy: actor }),
      dueAt: now,
      notices: [],
    };
    await this.#alerts.insertOne(made);
    return made;
  }

  list(accountId: string): Promise<AlertDocument[]> {
    return this.#alerts.find({ accountId }).sort({ createdAt: 1 }).toArray();
  }

  async get(id: string): Promise<AlertDocument> {
    return (await this.#alerts.findOne({ _id: id })) ?? raise(missing());
  }

  /** @throws {GatewayError} `invalid_request` above the account's maximum */
  async update(id: string, terms: Terms): Promise<AlertDocument> {
    await this.#addRecipients((await this.get(id)).accountId, terms.emails);
    const set = { $set: { ...terms, dueAt: new Date(await this.#options.clock.moment()) } };
    const after = await this.#alerts.findOneAndUpdate({ _id: id }, set, { returnDocument: "after" });
    return after ?? raise(missing());
  }

  async #addRecipients(accountId: string, emails: readonly string[]): Promise<void> {
    const inUse = (await this.list(accountId)).flatMap((alert) => alert.emails);
    await this.#recipients.add(accountId, emails, inUse);
    if (emails.length > 0) await this.#options.requestConfirmations({ accountId, addresses: [...emails] });
  }

  async delete(id: string): Promise<AlertDocument> {
    return (await this.#alerts.findOneAndDelete({ _id: id })) ?? raise(missing());
  }

  /** @throws {GatewayError} `rate_limit_exceeded` soon after another test */
  async beginTest(id: string): Promise<AlertDocument> {
    const now = new Date(await this.#options.clock.moment());
    const rested = { $lt: new Date(now.getTime() - testPauseMs) };
    const free = { _id: id, $or: [{ testedAt: { $exists: false } }, { testedAt: rested }] };
    const taken = await this.#alerts.findOneAndUpdate(free, { $set: { testedAt: now } }, { returnDocument: "after" });
    if (taken !== null) return taken;
    await this.get(id);
    throw new GatewayError(
      "rate_limit_exceeded",
      "A test was sent a moment ago. Wait for `retry-after`, then try again.",
      { retryAfterMs: testPauseMs },
    );
  }

  /** Claims the alert that has waited longest, for `leaseMs`; undefined while none is due. */
  async claimDue(leaseMs: number): Promise<AlertDocument | undefined> {
    const now = await this.#options.clock.moment();
    const claim = { $set: { dueAt: new Date(now + leaseMs) } };
    const due = { dueAt: { $lte: new Date(now) } };
    return (
      (await this.#alerts.findOneAndUpdate(due, claim, { sort: { dueAt: 1 }, returnDocument: "after" })) ?? undefined
    );
  }

  /** Ends a claim, unless the alert was changed or claimed since. */
  async reschedule(
    { _id, dueAt }: AlertDocument,
    { pauseMs, fulls }: { readonly pauseMs: number; readonly fulls: readonly MonthFull[] },
  ): Promise<void> {
    const next = new Date((await this.#options.clock.moment()) + pauseMs);
    await this.#alerts.updateOne({ _id, dueAt }, { $set: { dueAt: next, fulls } });
  }

  /** Records what was reported; each notice once. */
  async recordNotices(id: string, notices: readonly Notice[]): Promise<void> {
    for (const notice of notices) {
      const { month, threshold, monthlyNanoUsd, balance } = notice;
      const since = balance === undefined ? { month } : { "balance.toppedUpNanoUsd": balance.toppedUpNanoUsd };
      const isNew = { $not: { $elemMatch: { ...since, threshold, monthlyNanoUsd } } };
      await this.#alerts.updateOne(
        { _id: id, notices: isNew },
        { $push: { notices: { $each: [notice], $slice: -keptNotices } } },
      );
    }
  }
}

function raise(error: Error): never {
  throw error;
}
