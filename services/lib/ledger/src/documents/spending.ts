import { budgetOfLevel, isEndUserLevel } from "@uag/contract/end-users";
import { type Connection, type Model, Schema } from "mongoose";

/** What one key was charged in one calendar month (UTC), or what counts toward a shared budget on one day. */
export interface SpendingDocument {
  /**
   * `<account>/<key>/<month>`, the month as `2026-01`; formerly `<key>/<month>`, and both count. Or
   * `<account>/<budget>/<day>`, the day as `2026-01-31`.
   */
  readonly _id: string;
  readonly accountId?: string;
  /** Only of an end user: `<budget>/<day>`, of the budget whose rule gives it a part. */
  readonly rule?: string;
  /** Nano-USD. */
  readonly charged: bigint;
}

const schema = new Schema<SpendingDocument>(
  {
    _id: { type: String, required: true },
    accountId: String,
    rule: String,
    charged: { type: Schema.Types.BigInt, required: true },
  },
  { strict: "throw", versionKey: false },
);

schema.index({ accountId: 1, rule: 1 }, { partialFilterExpression: { rule: { $gt: "" } } });

export function spendingModel(connection: Connection): Model<SpendingDocument> {
  return connection.model<SpendingDocument>("Spending", schema, "spending");
}

/** @param period the month of a key, or the day of a budget */
export function spendingId(accountId: string, keyOrBudgetId: string, period: string): string {
  return `${accountId}/${keyOrBudgetId}/${period}`;
}

/** The ids of all that counted toward a key or a budget. */
export const spendingOf = (accountId: string, keyOrBudgetId: string) => ({
  $gte: spendingId(accountId, keyOrBudgetId, ""),
  // The character after the slash.
  $lt: `${accountId}/${keyOrBudgetId}0`,
});

/** The rule of a budget in documents of its end users' days. */
export const endUserRule = (budgetId: string, day: string): string => `${budgetId}/${day}`;

/** What a document of a level has of its budget's rule: nothing, unless the level is an end user's. */
export const ruleOfLevel = (levelId: string, day: string): Pick<SpendingDocument, "rule"> =>
  isEndUserLevel(levelId) ? { rule: endUserRule(budgetOfLevel(levelId), day) } : {};

/** The id spending was counted under before it began with the account. */
export function oldSpendingId(keyId: string, month: string): string {
  return `${keyId}/${month}`;
}
