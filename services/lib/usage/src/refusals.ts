import { endUserBudgetHeader } from "@uag/contract/end-users";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { AcquireResponse, ExceededBudget } from "@uag/proto/billing/v1/grants.ts";
import { usdText } from "@uag/runtime/usd";

const retryAfterMs = 1_000;

/**
 * Formats nano-USD as `$0.000001234`: at least two decimals, and as many more as are significant.
 */
export function formatUsd(nanoUsd: bigint): string {
  const sign = nanoUsd < 0n ? "-" : "";
  const digits = String(nanoUsd < 0n ? -nanoUsd : nanoUsd).padStart(10, "0");
  const fraction = digits.slice(-9).replace(/0{1,7}$/, "");
  return `${sign}$${digits.slice(0, -9)}.${fraction}`;
}

/**
 * `insufficient_balance`: the hold exceeds the account's available money.
 * @param need upper bound of the request's cost, nano-USD
 */
export function insufficientBalance(
  need: bigint,
  { availableNanoUsd: there, envelopeLeftNanoUsd }: Pick<AcquireResponse, "availableNanoUsd" | "envelopeLeftNanoUsd">,
): GatewayError {
  return new GatewayError(
    "insufficient_balance",
    `Insufficient balance: this request may cost up to ${formatUsd(need)}, and the account has ${formatUsd(there)} available.`,
    { cause: { availableNanoUsd: there }, headers: envelopeHeaders(envelopeLeftNanoUsd) },
  );
}

/**
 * `unpaid_usage`: the account has write-offs that no top-up has repaid.
 * @param owed nano-USD
 */
export function unpaidUsage(owed: bigint): GatewayError {
  return new GatewayError(
    "unpaid_usage",
    `The account owes ${formatUsd(owed)} for earlier requests. Top it up; the debt is repaid first.`,
  );
}

/**
 * `budget_exceeded`: the hold exceeds what is left of the key's monthly budget, or of a budget that
 * it shares.
 * @param need upper bound of the request's cost, nano-USD
 */
function budgetExceeded(need: bigint, response: AcquireResponse): GatewayError {
  const { availableNanoUsd, exceededBudget } = response;
  const left = formatUsd(availableNanoUsd);
  if (exceededBudget?.envelope === true) return envelopeExhausted(need, { ...exceededBudget, left }, response);
  const budget =
    exceededBudget === undefined
      ? `this key has ${left} left of its budget for this month (UTC)`
      : `${levelText(exceededBudget)} has ${left} left${untilReset(exceededBudget)}`;
  const text = `This request may cost up to ${formatUsd(need)}, and ${budget}.`;
  const endUserHeaders = exceededBudget?.endUser === true ? [endUserBudgetHeader, exceededBudget.id] : [];
  const headers = [...envelopeHeaders(response.envelopeLeftNanoUsd), ...endUserHeaders];
  return new GatewayError("budget_exceeded", text, { headers });
}

/** A shared budget, or an end user's part of it, within a sentence. */
export function levelText({ id, name, endUser = false }: Pick<ExceededBudget, "id" | "name" | "endUser">): string {
  return `${endUser ? "this end user of " : ""}the budget "${name}" (${id})`;
}

/** `envelope_exhausted`: the hold exceeds what an envelope of the key leaves. */
function envelopeExhausted(
  need: bigint,
  { id, name, left }: Pick<ExceededBudget, "id" | "name"> & { readonly left: string },
  { availableNanoUsd, envelopeLeftNanoUsd }: AcquireResponse,
): GatewayError {
  const envelope = name === "" ? id : `"${name}" (${id})`;
  return new GatewayError(
    "envelope_exhausted",
    `This request may cost up to ${formatUsd(need)}, and the envelope ${envelope} has ${left} left.`,
    { cause: { availableNanoUsd }, headers: envelopeHeaders(envelopeLeftNanoUsd) },
  );
}

/** The header for what the key's envelopes leave, nano-USD; none for a key without. */
export function envelopeHeaders(leftNanoUsd: bigint | undefined): string[] {
  if (leftNanoUsd === undefined) return [];
  return ["x-gateway-envelope-remaining-usd", usdText(leftNanoUsd > 0n ? leftNanoUsd : 0n)];
}

function untilReset({ resetsAtMs }: ExceededBudget): string {
  if (resetsAtMs === 0n) return "; it does not reset";
  return ` until ${new Date(Number(resetsAtMs)).toISOString().slice(0, 16).replace("T", " ")} (UTC)`;
}

/**
 * The refusal of a hold for which billing has no grant.
 * @param need the hold, nano-USD
 */
export function refusalOf(response: AcquireResponse, need: bigint): GatewayError {
  if (response.owedNanoUsd > 0n) return unpaidUsage(response.owedNanoUsd);
  return response.budgetExceeded ? budgetExceeded(need, response) : insufficientBalance(need, response);
}

/** `service_unavailable`, retryable after a second: what decides on admission cannot be reached. */
export function outOfReach(cause: unknown): GatewayError {
  return new GatewayError("service_unavailable", undefined, { retryAfterMs, cause });
}

/** `service_unavailable`: no request is admitted whose final could not be written. */
export function refuseForJournal(state: "full" | "failed"): GatewayError {
  return outOfReach(new Error(state === "full" ? "the usage journal is full" : "writing to the usage journal failed"));
}
