import type { AccountServiceServer } from "@uag/proto/billing/v1/accounts.ts";
import { type Budget, BudgetPeriod, type BudgetServiceServer } from "@uag/proto/billing/v1/budgets.ts";
import type { KeyServiceServer } from "@uag/proto/billing/v1/keys.ts";
import type { RpcClient } from "@uag/runtime/rpc/client";
import type { Store } from "../store/store.ts";
import { type AlertDocument, type Figures, type Month, monthOf } from "./alert.ts";
import { spentIn } from "./spent.ts";

/** Where alerts' figures come from: spending from metering, budgets and balances from billing. */
export interface FigureSources {
  readonly store: Pick<Store, "rollups">;
  readonly accounts: Pick<RpcClient<AccountServiceServer>, "getAccount">;
  readonly keys: Pick<RpcClient<KeyServiceServer>, "getKey">;
  readonly budgets: Pick<RpcClient<BudgetServiceServer>, "getBudget">;
}

/** The figures of a period. */
export interface PeriodFigures {
  /** Such as `2027-01`. Of a shared budget its period: also `2027-01-04` or `total`. */
  readonly name: string;
  readonly figures: Figures;
}

/** The input of an alert's evaluation for the current month, or the current period of its shared budget. */
export async function currentFigures(
  sources: FigureSources,
  alert: AlertDocument,
  nowMs: number,
): Promise<PeriodFigures> {
  const { budgetId } = alert;
  if (budgetId !== undefined) return budgetFigures(await sources.budgets.getBudget({ id: budgetId }));
  const month = monthOf(nowMs);
  return { name: month.name, figures: await figuresOf(sources, alert, month) };
}

const periodNames = {
  [BudgetPeriod.DAY]: "day",
  [BudgetPeriod.WEEK]: "week",
  [BudgetPeriod.MONTH]: "month",
} as const;

/** A deleted budget has no amount, so that no more thresholds are reached. */
function budgetFigures({ amountNanoUsd, spentNanoUsd, deletedAtMs, ...budget }: Budget): PeriodFigures {
  const period = budget.period in periodNames ? periodNames[budget.period as keyof typeof periodNames] : "total";
  const start = new Date(Number(budget.periodStartMs)).toISOString();
  const name = period === "total" ? period : start.slice(0, period === "month" ? 7 : 10);
  const fullNanoUsd = deletedAtMs > 0n ? 0n : amountNanoUsd;
  return { name, figures: { fullNanoUsd, spentNanoUsd, budget: { name: budget.name, period, hard: budget.hard } } };
}

/** The input of an alert's evaluation for a month. */
export async function figuresOf(
  { store, accounts, keys }: FigureSources,
  alert: AlertDocument,
  month: Month,
): Promise<Figures> {
  const { kind = "spend", accountId, keyId, monthlyNanoUsd } = alert;
  const spentNanoUsd = await spentIn(store, alert, month);
  if (kind === "spend") return { fullNanoUsd: monthlyNanoUsd, spentNanoUsd };
  if (kind === "budget") {
    const { limits } = await keys.getKey({ id: keyId });
    return { fullNanoUsd: limits?.monthlyBudgetNanoUsd ?? 0n, spentNanoUsd };
  }
  const { availableNanoUsd, heldNanoUsd, toppedUpNanoUsd } = await accounts.getAccount({ id: accountId });
  const balance = { leftNanoUsd: availableNanoUsd + heldNanoUsd, toppedUpNanoUsd };
  return { fullNanoUsd: 0n, spentNanoUsd, balance };
}
