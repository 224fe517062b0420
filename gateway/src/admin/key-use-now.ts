import type { keyUse } from "@uag/contract/responses/admin";
import type { Shown } from "@uag/contract/responses/shown";
import type { BudgetUse, LimitUse } from "@uag/proto/billing/v1/limits.ts";
import { usdText } from "@uag/runtime/usd";
import type { AdminHandler } from "./admin.ts";

type Shape = Shown<typeof keyUse>;

const isoText = (ms: number): string => new Date(ms).toISOString();

const showLimit = (use: LimitUse | undefined): Shape["requests_per_minute"] =>
  use === undefined ? null : { limit: use.limit, used: use.used };

/**
 * What the rest of the month will cost at the rate of the month so far, and when the budget is
 * spent at that rate.
 */
export function budgetForecast(
  { limitNanoUsd, spentNanoUsd, resetsAtMs }: Pick<BudgetUse, "limitNanoUsd" | "spentNanoUsd" | "resetsAtMs">,
  nowMs: number,
): { readonly expectedNanoUsd: bigint; readonly runsOutAtMs: number | undefined } {
  const end = new Date(Number(resetsAtMs));
  const startMs = Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - 1);
  const elapsedMs = Math.max(1, Math.round(nowMs - startMs));
  const monthMs = end.getTime() - startMs;
  const expectedNanoUsd = (spentNanoUsd * BigInt(monthMs)) / BigInt(elapsedMs);
  if (spentNanoUsd === 0n || expectedNanoUsd < limitNanoUsd) return { expectedNanoUsd, runsOutAtMs: undefined };
  const spentAtMs = startMs + Number((limitNanoUsd * BigInt(elapsedMs)) / spentNanoUsd);
  return { expectedNanoUsd, runsOutAtMs: Math.max(nowMs, spentAtMs) };
}

function showBudget(budget: BudgetUse | undefined): Shape["budget"] {
  if (budget === undefined) return null;
  const { limitNanoUsd: limit, spentNanoUsd: spent, heldNanoUsd: held } = budget;
  const { expectedNanoUsd: expected, runsOutAtMs } = budgetForecast(budget, Date.now());
  return {
    limit_usd: usdText(limit),
    limit_nano_usd: limit,
    spent_usd: usdText(spent),
    spent_nano_usd: spent,
    held_usd: usdText(held),
    held_nano_usd: held,
    resets_at: isoText(Number(budget.resetsAtMs)),
    expected_usd: usdText(expected),
    expected_nano_usd: expected,
    runs_out_at: runsOutAtMs === undefined ? null : isoText(runsOutAtMs),
  };
}

/** How much of its limits and its budget a key uses now. */
export const showKeyUse: AdminHandler = async ({ clients, id: keyId }) => {
  const { accountId, requests, tokens, concurrency, budget } = await clients.limits.getKeyUse({ keyId });
  const body: Shape = {
    object: "key_use",
    key_id: keyId,
    account_id: accountId,
    requests_per_minute: showLimit(requests),
    tokens_per_minute: showLimit(tokens),
    parallel_requests: showLimit(concurrency),
    budget: showBudget(budget),
  };
  return { body };
};
