import { z } from "zod";
import { count, nano, time } from "./admin-fields.ts";

/** The periods after which a budget is available again; `total` never ends. */
export const budgetPeriods = ["day", "week", "month", "total"] as const;

/** What each end user of the keys below a budget has. */
const endUsers = z.object({
  max_budget: z.number().describe("USD of each end user in each period."),
  max_budget_nano_usd: nano.describe("The same amount in nano-USD, exact."),
  period: z.enum(budgetPeriods),
  rpm_limit: count.nullable(),
  tpm_limit: count.nullable(),
  max_parallel_requests: count.nullable(),
  required: z.boolean().describe("Requests without an end user are refused."),
});

/** A budget that keys share. */
export const budget = z.object({
  id: z.string(),
  object: z.literal("budget"),
  account_id: z.string(),
  name: z.string(),
  parent_id: z.string().nullable().describe("The budget above this one."),
  max_budget: z.number().describe("USD in each period."),
  max_budget_nano_usd: nano.describe("The same amount in nano-USD, exact."),
  period: z.enum(budgetPeriods),
  hard: z.boolean(),
  rpm_limit: count.nullable().describe("Of all keys below the budget together; so are the other limits."),
  tpm_limit: count.nullable(),
  max_parallel_requests: count.nullable(),
  models: z.array(z.string()).describe("Empty: all models that a key may use."),
  end_users: endUsers.nullable().describe("Null: end users have no part of their own."),
  spent_usd: z.string().describe("Charged in the current period."),
  reserved_usd: z.string().describe("Held by running requests, and by services ahead of requests."),
  available_usd: z.string(),
  period_start: time.nullable(),
  resets_at: time.nullable().describe("Null: never."),
  created_at: time.nullable(),
  deleted_at: time.nullable(),
});

/** What an end user of the keys below a budget has spent in the current period of the budget's rule. */
export const endUserUse = z.object({
  id: z
    .string()
    .describe("The budget's id, a colon and a pseudonym: names of end users are not stored. Usage events have it too."),
  object: z.literal("budget.end_user"),
  spent_usd: z.string(),
  reserved_usd: z.string().describe("Held by running requests, and by services ahead of requests."),
  period_start: time.nullable(),
  resets_at: time.nullable().describe("Null: never."),
});
