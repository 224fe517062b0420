import { GatewayError } from "@uag/contract/errors/gateway-error";

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
 * @param there available, nano-USD
 */
export function insufficientBalance(need: bigint, there: bigint): GatewayError {
  return new GatewayError(
    "insufficient_balance",
    `Insufficient balance: this request may cost up to ${formatUsd(need)}, and the account has ${formatUsd(there)} available.`,
    { cause: { availableNanoUsd: there } },
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
 * `budget_exceeded`: the hold exceeds what is left of the key's monthly budget.
 * @param need upper bound of the request's cost, nano-USD
 * @param there left of the budget, nano-USD
 */
export function budgetExceeded(need: bigint, there: bigint): GatewayError {
  return new GatewayError(
    "budget_exceeded",
    `This request may cost up to ${formatUsd(need)}, and this key has ${formatUsd(there)} left of its budget for this month (UTC).`,
  );
}

/** `service_unavailable`, retryable after a second: what decides on admission cannot be reached. */
export function outOfReach(cause: unknown): GatewayError {
  return new GatewayError("service_unavailable", undefined, { retryAfterMs, cause });
}

/** `service_unavailable`: no request is admitted whose final could not be written. */
export function refuseForJournal(state: "full" | "failed"): GatewayError {
  return outOfReach(new Error(state === "full" ? "the usage journal is full" : "writing to the usage journal failed"));
}
