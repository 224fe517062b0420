import { z } from "zod";
import { maxEndUserLength } from "../end-users.ts";
import { levelFields } from "../key-fields.ts";
import { budgetPeriods } from "../responses/admin-budgets.ts";
import { id, limit, name, pageFields, usd } from "./admin-fields.ts";

/** Requests of the admin API about budgets that keys share. */

const moreThanNothing = (nano: bigint): boolean => nano > 0n;

const period = z
  .enum(budgetPeriods)
  .describe("Days, weeks and months are calendar ones in UTC; a week begins on Monday. `total`: it never resets.");

/** What each end user of the keys below a budget has. */
const endUsers = z.strictObject({
  max_budget: usd
    .refine(moreThanNothing, "The budget of an end user must be more than 0.")
    .describe("USD that each end user may spend in each period."),
  period: period.default("day"),
  rpm_limit: limit.optional().describe("Requests a minute of each end user; null: no limit."),
  tpm_limit: limit.optional().describe("Tokens a minute of each end user; null: no limit."),
  max_parallel_requests: limit.optional().describe("Requests at the same time of each end user; null: no limit."),
  required: z
    .boolean()
    .default(false)
    .describe("`true`: refuses requests without an end user. `false`: they are not limited by this rule."),
});

const fields = {
  name: name.min(1, "A budget's name must not be empty.").describe("Named in the error when the budget is used up."),
  max_budget: usd
    .refine(moreThanNothing, "A budget must be more than 0.")
    .describe("USD that may be spent in each period."),
  period,
  hard: z
    .boolean()
    .describe("`true`: refuses requests that could exceed the budget. `false`: only counts what is spent."),
};

const endUserField = {
  end_users: endUsers
    .nullable()
    .optional()
    .describe(
      "What each end user of the keys below the budget has, beside the budget: a request names its end user in `safety_identifier`, `user`, `metadata.user_id`, or the header `x-gateway-end-user`. A change replaces the whole rule. Null: none.",
    ),
} as const;

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
  ...endUserField,
});

/** Body of `PATCH /admin/v1/budgets/{id}`: at least one field. */
export const updateBudgetRequest = z
  .strictObject({ ...fields, ...levelFields, ...endUserField })
  .partial()
  .refine((given) => Object.keys(given).length > 0, "Set at least one field to change.");

const maxEndUsersListed = 100;

/** Query of `GET /admin/v1/budgets/{id}/end-users`. */
export const endUserListQuery = z.strictObject({
  end_user: z
    .string()
    .min(1, "An end user's name must not be empty.")
    .max(maxEndUserLength, `An end user's name can have at most ${maxEndUserLength} characters.`)
    .optional()
    .describe("Only this end user, as requests name it; default: those that spent the most."),
  limit: z.coerce.number().int().min(1).max(maxEndUsersListed).default(maxEndUsersListed),
});

/** Query of `GET /admin/v1/budgets`. */
export const budgetListQuery = z.strictObject({
  ...pageFields,
  account: id.optional().describe("Only budgets of this account."),
});
