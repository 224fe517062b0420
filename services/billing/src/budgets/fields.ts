import { GatewayError } from "@uag/contract/errors/gateway-error";
import { budgetPeriods } from "@uag/contract/responses/admin-budgets";
import type { BudgetDocument, EndUserDocument } from "@uag/ledger/documents/budgets";
import { type BudgetPeriod, periodAt } from "@uag/ledger/rules/budget";
import { maxAmount } from "@uag/ledger/rules/money";
import {
  type Budget,
  type BudgetLimits,
  type EndUserTerms,
  BudgetPeriod as Period,
} from "@uag/proto/billing/v1/budgets.ts";
import type { ClientSession } from "mongoose";
import type { Billing } from "../billing.ts";
import { checkKeyFields } from "../keys/fields.ts";
import { countedLevel, levelUses } from "../store/budgets.ts";
import { limitsAfter, limitsMessage, noLimits } from "./levels.ts";

/** A shared budget's fields in requests, with their checks, in responses and in the audit log. */

const maxNameLength = 200;

const messagePeriod = (name: BudgetPeriod): Period => Period[name.toUpperCase() as Uppercase<BudgetPeriod>];

/** The current period, Unix milliseconds; 0 where it has no start or end. */
export function periodMessage(period: BudgetPeriod, nowMs: number) {
  const { startMs, endMs } = period === "total" ? { startMs: 0, endMs: 0 } : periodAt(period, nowMs);
  return { periodStartMs: BigInt(startMs), resetsAtMs: BigInt(endMs) };
}

/** @throws {GatewayError} `invalid_request` for an unknown one */
export function periodOf(period: Period, param = "period"): BudgetPeriod {
  const found = budgetPeriods.find((name) => messagePeriod(name) === period);
  if (found === undefined) throw invalid(param, "The period must be day, week, month or total.");
  return found;
}

interface CheckedFields {
  readonly name?: string | undefined;
  readonly amountNanoUsd?: bigint | undefined;
  readonly limits?: BudgetLimits | undefined;
  readonly models?: string[] | undefined;
  readonly endUsers?: EndUserTerms | undefined;
}

/** @throws {GatewayError} `invalid_request` naming the field */
export function checkBudgetFields({ name, amountNanoUsd, limits, models = [], endUsers }: CheckedFields): void {
  if (name !== undefined && (name === "" || name.length > maxNameLength))
    throw invalid("name", "A budget's name must have 1 to 200 characters.");
  if (amountNanoUsd !== undefined && !isAmount(amountNanoUsd))
    throw invalid("amount_nano_usd", "A budget must be a positive amount.");
  checkLimits("limits", limits);
  checkKeyFields({ models });
  if (endUsers !== undefined) checkEndUsers(endUsers);
}

function checkEndUsers({ amountNanoUsd, period, limits }: EndUserTerms): void {
  if (!isAmount(amountNanoUsd))
    throw invalid("end_users.amount_nano_usd", "The budget of an end user must be a positive amount.");
  periodOf(period, "end_users.period");
  checkLimits("end_users.limits", limits);
}

const isAmount = (nanoUsd: bigint): boolean => nanoUsd >= 1n && nanoUsd <= maxAmount;

function checkLimits(param: string, limits: BudgetLimits = {}): void {
  for (const [limit, value] of Object.entries(limits))
    if (value !== undefined && value < 0n) throw invalid(`${param}.${limit}`, "A limit cannot be negative.");
}

/** The stored rule. */
export function endUsersOf({ amountNanoUsd: amount, period, limits, required }: EndUserTerms): EndUserDocument {
  return { amount, period: periodOf(period), limits: limitsAfter(noLimits, limits), required };
}

const endUsersMessage = ({ amount, period, limits, required }: EndUserDocument): EndUserTerms => ({
  amountNanoUsd: amount,
  period: messagePeriod(period),
  limits: limitsMessage(limits),
  required,
});

const endUsersSnapshot = ({ amount, period, limits, required }: EndUserDocument) => ({
  max_budget_nano_usd: Number(amount),
  period,
  ...limitsSnapshot(limits),
  required,
});

const limitsSnapshot = ({ requestsPerMinute, tokensPerMinute, concurrentRequests }: EndUserDocument["limits"]) => ({
  rpm_limit: Number(requestsPerMinute) || null,
  tpm_limit: Number(tokensPerMinute) || null,
  max_parallel_requests: Number(concurrentRequests) || null,
});

export function invalid(param: string, text: string): GatewayError {
  return new GatewayError("invalid_request", text, { param });
}

/** The fields of a budget that identify a change. */
export function budgetSnapshot(budget: BudgetDocument): string {
  const { name, chain, amount, period, hard, deletedAt, limits = noLimits, models = [], endUsers } = budget;
  const parentId = chain[1] ?? null;
  return JSON.stringify({
    name,
    parent_id: parentId,
    max_budget_nano_usd: Number(amount),
    period,
    hard,
    ...limitsSnapshot(limits),
    models,
    ...(endUsers && { end_users: endUsersSnapshot(endUsers) }),
    deleted_at: deletedAt,
  });
}

/** Budgets with what counts against them now. */
export async function budgetMessages(
  { store, clock }: Pick<Billing, "store" | "clock">,
  budgets: readonly BudgetDocument[],
  session: ClientSession | null = null,
): Promise<Budget[]> {
  const nowMs = clock.now();
  const levels = budgets.map((each) => countedLevel(each));
  const useOf = await levelUses({ store, session }, levels, nowMs);
  return budgets.map((budget) => {
    const { _id: id, accountId, name, chain, amount, period, hard, createdAt, deletedAt } = budget;
    const { limits = noLimits, models = [], endUsers } = budget;
    return {
      id,
      accountId,
      name,
      parentId: chain[1] ?? "",
      amountNanoUsd: amount,
      period: messagePeriod(period),
      hard,
      createdAtMs: BigInt(createdAt.getTime()),
      deletedAtMs: BigInt(deletedAt?.getTime() ?? 0),
      ...useOf(id),
      ...periodMessage(period, nowMs),
      limits: limitsMessage(limits),
      models: [...models],
      endUsers: endUsers ? endUsersMessage(endUsers) : undefined,
      chain: [...chain],
    };
  });
}
