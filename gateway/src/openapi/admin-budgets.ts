import {
  budgetListQuery,
  createBudgetRequest,
  endUserListQuery,
  updateBudgetRequest,
} from "@uag/contract/requests/admin-budgets";
import { listOf } from "@uag/contract/responses/admin";
import { budget, endUserUse } from "@uag/contract/responses/admin-budgets";
import { admin } from "./admin-operation.ts";
import type { Operation } from "./operation.ts";

/** Documentation of the admin operations on budgets. */
export const budgets: Readonly<Record<string, Operation>> = {
  "admin.budgets.create": admin("Budgets", "createBudget", "Creates a budget", ["BudgetCreated", budget], {
    request: createBudgetRequest,
    status: 201,
  }),
  "admin.budgets.list": admin("Budgets", "listBudgets", "Lists budgets", ["BudgetList", listOf(budget)], {
    query: budgetListQuery,
  }),
  "admin.budgets.get": admin("Budgets", "getBudget", "Shows a budget and what is left of it", ["Budget", budget]),
  "admin.budgets.end_users": admin(
    "Budgets",
    "listEndUsers",
    "Lists the end users that spent the most of their part of a budget, or shows one",
    ["EndUserList", listOf(endUserUse)],
    { query: endUserListQuery },
  ),
  "admin.budgets.update": admin("Budgets", "updateBudget", "Changes a budget", ["BudgetChanged", budget], {
    request: updateBudgetRequest,
  }),
  "admin.budgets.delete": admin("Budgets", "deleteBudget", "Deletes a budget that no key and no other budget uses", [
    "BudgetDeleted",
    budget,
  ]),
};
