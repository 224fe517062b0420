import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { BudgetDocument } from "@uag/ledger/documents/budgets";
import { endUserRule } from "@uag/ledger/documents/spending";
import type { ListEndUsersRequest, ListEndUsersResponse } from "@uag/proto/billing/v1/budgets.ts";
import { dayOf } from "@uag/runtime/utc-days";
import { levelIdOf } from "@uag/usage/end-users/caller";
import type { Billing } from "../billing.ts";
import { invalid, periodMessage } from "../budgets/fields.ts";
import { countedLevel, firstDay, levelUses } from "../store/budgets.ts";

const maxListed = 100;
/** The days of all end users in a period are added up. */
const maxTimeMs = 10_000;

/** The levels that were charged the most in the current period of a budget's rule. */
async function highest(
  { store }: Billing,
  { _id: id, accountId, period }: Pick<BudgetDocument, "_id" | "accountId" | "period">,
  { limit, nowMs }: { limit: number; nowMs: number },
): Promise<string[]> {
  const days = { $gte: endUserRule(id, firstDay(period, nowMs)), $lte: endUserRule(id, dayOf(nowMs)) };
  const rows = await store.spending.collection
    .aggregate<{ _id: string }>(
      [
        { $match: { accountId, rule: days } },
        { $group: { _id: { $arrayElemAt: [{ $split: ["$_id", "/"] }, 1] }, charged: { $sum: "$charged" } } },
        { $sort: { charged: -1, _id: 1 } },
        { $limit: limit },
        { $project: { _id: 1 } },
      ],
      { maxTimeMS: maxTimeMs },
    )
    .toArray();
  return rows.map(({ _id }) => _id);
}

/** @throws {GatewayError} `not_found`; `invalid_request` for a budget without a rule for end users */
export async function listEndUsers(billing: Billing, request: ListEndUsersRequest): Promise<ListEndUsersResponse> {
  const { budgetId, endUser } = request;
  const { store, clock } = billing;
  const budget = await store.budgets.findById(budgetId).lean<BudgetDocument>();
  if (budget === null || budget.envelope !== undefined)
    throw new GatewayError("not_found", "The budget does not exist.", { param: "id" });
  const { endUsers, endUserSecret } = budget;
  if (!endUsers || endUserSecret === undefined) throw invalid("id", "The budget has no rule for end users.");
  const nowMs = clock.now();
  const limit = Math.min(request.limit || maxListed, maxListed);
  const { period } = endUsers;
  const ids =
    endUser === undefined
      ? await highest(billing, { ...budget, period }, { limit, nowMs })
      : [levelIdOf({ budgetId, secret: endUserSecret }, endUser)];
  const levels = ids.map((id) => countedLevel(budget, id));
  const useOf = await levelUses({ store, session: null }, levels, nowMs);
  return {
    endUsers: ids.map((id) => ({ id, ...useOf(id) })),
    ...periodMessage(period, nowMs),
  };
}
