import { budgetPeriods } from "@uag/contract/responses/admin-budgets";
import { type Connection, type Model, Schema } from "mongoose";
import type { BudgetPeriod, SharedBudget } from "../rules/budget.ts";

/** A budget that keys of an account share. */
export interface BudgetDocument {
  readonly _id: string;
  readonly accountId: string;
  readonly name: string;
  /** Its own id, then those of the budgets above it, the highest last. It never changes. */
  readonly chain: string[];
  /** Nano-USD. */
  readonly amount: bigint;
  readonly period: BudgetPeriod;
  readonly hard: boolean;
  readonly createdAt: Date;
  /** It still limits requests that were authenticated before. */
  readonly deletedAt: Date | null;
}

const text = { type: String, required: true } as const;

const schema = new Schema<BudgetDocument>(
  {
    _id: text,
    accountId: text,
    name: text,
    chain: { type: [String], required: true },
    amount: { type: Schema.Types.BigInt, required: true },
    period: { type: String, enum: budgetPeriods, required: true },
    hard: { type: Boolean, required: true },
    createdAt: { type: Date, required: true },
    deletedAt: { type: Date, default: null },
  },
  { strict: "throw", versionKey: false },
);
schema.index({ accountId: 1, _id: 1 });
schema.index({ chain: 1 });

export function budgetModel(connection: Connection): Model<BudgetDocument> {
  return connection.model<BudgetDocument>("Budget", schema, "budgets");
}

export function sharedBudgetOf({ _id, name, amount, period, hard }: BudgetDocument): SharedBudget {
  return { id: _id, name, amount, period, hard };
}
