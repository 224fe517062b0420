import { z } from "zod";
import { levelFields } from "../key-fields.ts";
import { budgetPeriods } from "../responses/admin-budgets.ts";
import { id, name, pageFields, usd } from "./admin-fields.ts";

/** Requests of the admin API about budgets that keys share. */

const fields = {
  name: name.min(1, "A budget's name must not be empty.").describe("Named in the error when the budget is used up."),
  max_budget: usd
    .refine((nano) => nano > 0n, "A budget must be more than 0.")
    .describe("USD that may be spent in each period."),
  period: z
    .enum(budgetPeriods)
    .describe("Days, weeks and months are calendar ones in UTC; a week begins on Monday. `total`: it never resets."),
  hard: z
    .boolean()
    .describe("`true`: refuses requests that could exceed the budget. `false`: only counts what is spent."),
};

/** Body of `POST /admin/v1/budgets`. */
export const createBudgetRequest = z.strictObject({
  account_id: id,
  name: fields.name,
  parent_id: id
    .nullable()
    .default(null)
    .describe("A budget of the same account above this one. It cannot be changed. At most four levels."),
  max_budget: fields.max_budget,
  period: fields.period.default("month"),
  hard: fields.hard.default(true),
  ...levelFields,
});

/** Body of `PATCH /admin/v1/budgets/{id}`: at least one field. */
export const updateBudgetRequest = z
  .strictObject({ ...fields, ...levelFields })
  .partial()
  .refine((given) => Object.keys(given).length > 0, "Set at least one field to change.");

/** Query of `GET /admin/v1/budgets`. */
export const budgetListQuery = z.strictObject({
  ...pageFields,
  account: id.optional().describe("Only budgets of this account."),
});
