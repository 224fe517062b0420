import type { BudgetDocument, BudgetLimitsDocument } from "@uag/ledger/documents/budgets";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import type { Store } from "@uag/ledger/documents/store";
import type { BudgetLimits } from "@uag/proto/billing/v1/budgets.ts";
import type { Level, Limits } from "@uag/proto/common/v1/caller.ts";

/** What budgets limit in addition to money: see infra/decisions/0020-budgets.md. */

type LevelBudget = Pick<BudgetDocument, "_id" | "name" | "limits" | "models" | "version">;

export const noLimits: BudgetLimitsDocument = { requestsPerMinute: 0n, tokensPerMinute: 0n, concurrentRequests: 0n };

/** The limits after those that a request names are set. */
export function limitsAfter(before = noLimits, change: BudgetLimits = {}): BudgetLimitsDocument {
  return {
    requestsPerMinute: change.requestsPerMinute ?? before.requestsPerMinute,
    tokensPerMinute: change.tokensPerMinute ?? before.tokensPerMinute,
    concurrentRequests: change.concurrentRequests ?? before.concurrentRequests,
  };
}

/** Limits as messages have them. */
export const limitsMessage = (limits: BudgetLimitsDocument): Limits => ({ ...limits, monthlyBudgetNanoUsd: 0n });

const isLimiting = ({ limits = noLimits, models = [] }: LevelBudget): boolean =>
  models.length > 0 || Object.values(limits).some((limit) => limit > 0n);

const fields = { name: 1, limits: 1, models: 1, version: 1 } as const;

/** The budgets of these keys that limit more than money, by their ids. */
export async function findLevels(
  { budgets }: Pick<Store, "budgets">,
  keys: Iterable<KeyDocument>,
): Promise<Map<string, Level>> {
  const ids = [...new Set(Array.from(keys).flatMap(({ budgetIds = [] }) => budgetIds))];
  if (ids.length === 0) return new Map();
  const found = await budgets.find({ _id: { $in: ids } }, fields).lean<LevelBudget[]>();
  return new Map(found.filter(isLimiting).map((budget) => [budget._id, levelOf(budget)]));
}

function levelOf({ _id: id, name, limits = noLimits, models = [], version = 0n }: LevelBudget): Level {
  return { id, name, limits: limitsMessage(limits), models: [...models], version };
}
