import { GatewayError } from "@uag/contract/errors/gateway-error";
import { messageKinds } from "@uag/contract/responses/admin-fields";
import type { Collection, Connection } from "mongoose";

/**
 * What has a budget of its own: mails and webhook calls that a person triggers (tests of alerts,
 * replays of deliveries, confirmations of addresses), and the notices that alerts send
 * automatically.
 */
export type BudgetKind = (typeof messageKinds)[number];

/** How much of an account's budget is used. */
export interface BudgetUse {
  readonly kind: BudgetKind;
  readonly perHour: number;
  readonly used: number;
  /** When it is full again, milliseconds from now; 0 when it is. */
  readonly fullInMs: number;
}

/** Messages by kind. */
export type Amounts = Readonly<Record<BudgetKind, number>>;

interface BudgetDocument extends Partial<Record<BudgetKind, number>> {
  /** The account. */
  readonly _id: string;
  readonly at: Date;
  /** Whether the last caller's messages were allowed. */
  readonly granted: boolean;
}

const hourMs = 3_600_000;
/** A budget is full again after an hour, so older documents are not needed. */
const keptSeconds = 86_400;

const nouns: Readonly<Record<BudgetKind, string>> = {
  mail: "mails an hour for tests, replays and confirmations",
  webhook: "webhook calls an hour for tests and replays",
  notice: "notices of alerts an hour",
};

/**
 * How many messages each account may send an hour: one token bucket for each kind, across all
 * replicas, by the database's clock.
 */
export class MessageBudget {
  readonly #budgets: Collection<BudgetDocument>;
  readonly #perHour: Amounts;
  readonly #refused: (kind: BudgetKind, accountId: string) => void;

  constructor(connection: Connection, perHour: Amounts, refused: (kind: BudgetKind, accountId: string) => void) {
    this.#budgets = connection.collection<BudgetDocument>("budgets");
    this.#perHour = perHour;
    this.#refused = refused;
  }

  async open(): Promise<void> {
    await this.#budgets.createIndex({ at: 1 }, { expireAfterSeconds: keptSeconds });
  }

  /** How much of each budget the account has used. */
  async read(accountId: string): Promise<BudgetUse[]> {
    const refilled = messageKinds.map((kind) => [kind, this.#refilled(kind)] as const);
    const [left] = await this.#budgets
      .aggregate<Partial<Amounts>>([{ $match: { _id: accountId } }, { $project: Object.fromEntries(refilled) }])
      .toArray();
    return messageKinds.map((kind) => {
      const perHour = this.#perHour[kind];
      const missing = perHour - (left?.[kind] ?? perHour);
      return { kind, perHour, used: Math.ceil(missing), fullInMs: Math.ceil((missing / perHour) * hourMs) };
    });
  }

  /**
   * Takes all of it or nothing. More than an hour's messages at once take the whole hour.
   * @throws {GatewayError} `rate_limit_exceeded` when one of the budgets has too little left
   */
  async take(accountId: string, wanted: Partial<Amounts>): Promise<void> {
    const of = (kind: BudgetKind): number => Math.min(wanted[kind] ?? 0, this.#perHour[kind]);
    const each = <T>(value: (kind: BudgetKind) => T) =>
      Object.fromEntries(messageKinds.map((kind) => [kind, value(kind)]));
    const after = await this.#budgets.findOneAndUpdate(
      { _id: accountId },
      [
        { $set: { ...each((kind) => this.#refilled(kind)), at: "$$NOW" } },
        { $set: { granted: { $and: messageKinds.map((kind) => ({ $gte: [`$${kind}`, of(kind)] })) } } },
        { $set: each((kind) => ({ $subtract: [`$${kind}`, { $cond: ["$granted", of(kind), 0] }] })) },
      ],
      { upsert: true, returnDocument: "after" },
    );
    if (after?.granted === true) return;
    const missing = (kind: BudgetKind): number => of(kind) - (after?.[kind] ?? 0);
    const kind = messageKinds.find((one) => missing(one) > 0) ?? "notice";
    this.#refused(kind, accountId);
    const perHour = this.#perHour[kind];
    const text = `The account's budget of ${perHour} ${nouns[kind]} is used up. Wait for \`retry-after\`, then try again.`;
    const retryAfterMs = Math.ceil((missing(kind) / perHour) * hourMs);
    throw new GatewayError("rate_limit_exceeded", text, { retryAfterMs });
  }

  /** The aggregation expression for what is left of a budget now. */
  #refilled(kind: BudgetKind) {
    const max = this.#perHour[kind];
    const elapsed = { $divide: [{ $subtract: ["$$NOW", { $ifNull: ["$at", "$$NOW"] }] }, hourMs] };
    return { $min: [max, { $add: [{ $ifNull: [`$${kind}`, max] }, { $multiply: [elapsed, max] }] }] };
  }
}
