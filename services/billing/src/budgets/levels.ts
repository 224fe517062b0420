import type { BudgetDocument, BudgetLimitsDocument } from "@uag/ledger/documents/budgets";
import type { KeyDocument } from "@uag/ledger/documents/keys";
import type { Store } from "@uag/ledger/documents/store";
import type { BudgetLimits } from "@uag/proto/billing/v1/budgets.ts";
import type { EndUserRule, Level, Limits } from "@uag/proto/common/v1/caller.ts";

/** What budgets limit in addition to money: see infra/decisions/0020-budgets.md. */

type LevelBudget = Pick<
  BudgetDocument,
  "_id" | "name" | "limits" | "models" | "version" | "endUsers" | "endUserSecret"
>;

/** What the budgets of callers limit in addition to money, each by the budget's id. */
export interface Levels {
  /** Of all keys below it together. */
  readonly shared: ReadonlyMap<string, Level>;
  /** Of each end user. */
  readonly endUsers: ReadonlyMap<string, EndUserRule>;
}

const none: Levels = { shared: new Map(), endUsers: new Map() };

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

const fields = { name: 1, limits: 1, models: 1, version: 1, endUsers: 1, endUserSecret: 1 } as const;

/** What the budgets of these keys limit in addition to money. */
export async function findLevels({ budgets }: Pick<Store, "budgets">, keys: Iterable<KeyDocument>): Promise<Levels> {
  const ids = [...new Set(Array.from(keys).flatMap(({ budgetIds = [] }) => budgetIds))];
  if (ids.length === 0) return none;
  const found = await budgets.find({ _id: { $in: ids } }, fields).lean<LevelBudget[]>();
  return {
    shared: new Map(found.filter(isLimiting).map((budget) => [budget._id, levelOf(budget)])),
    endUsers: new Map(found.flatMap((budget) => ruleOf(budget) ?? []).map((rule) => [rule.budgetId, rule])),
  };
}

function ruleOf({ _id: budgetId, name, version = 0n, endUsers, endUserSecret }: LevelBudget): EndUserRule | undefined {
  if (!endUsers || endUserSecret === undefined) return undefined;
  const { required, limits } = endUsers;
  return { budgetId, name, secret: endUserSecret, required, limits: limitsMessage(limits), version };
}

function levelOf({ _id: id, name, limits = noLimits, models = [], version = 0n }: LevelBudget): Level {
  return { id, name, limits: limitsMessage(limits), models: [...models], version };
}
