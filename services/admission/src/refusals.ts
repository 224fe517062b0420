import { GatewayError } from "@uag/contract/errors/gateway-error.ts";

const retryAfterMs = 1_000;

/**
 * nano-USD as `$0.000001234`: at least two digits behind the point, and as many more as are not
 * zero.
 */
export function formatUsd(nanoUsd: bigint): string {
  const sign = nanoUsd < 0n ? "-" : "";
  const digits = String(nanoUsd < 0n ? -nanoUsd : nanoUsd).padStart(10, "0");
  const fraction = digits.slice(-9).replace(/0{1,7}$/, "");
  return `${sign}$${digits.slice(0, -9)}.${fraction}`;
}

/**
 * `insufficient_balance`: the hold is more than the account's available money.
 * @param need nano-USD that the request may cost at most
 * @param there nano-USD that are available
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
    `Earlier requests of this account cost ${formatUsd(owed)} more than its money covered. Top it up: that is repaid first.`,
  );
}

/**
 * `budget_exceeded`: the hold is more than is left of the key's monthly budget.
 * @param need nano-USD that the request may cost at most
 * @param there nano-USD that are left
 */
export function budgetExceeded(need: bigint, there: bigint): GatewayError {
  return new GatewayError(
    "budget_exceeded",
    `This request may cost up to ${formatUsd(need)}, and this key has ${formatUsd(there)} left of its budget for this month (UTC).`,
  );
}

/** `service_unavailable`, worth another try in a second: what admits cannot be asked. */
export function outOfReach(cause: unknown): GatewayError {
  return new GatewayError("service_unavailable", undefined, { retryAfterMs, cause });
}

/** `service_unavailable`: nothing is admitted whose bill could not be written. */
export function refuseForJournal(state: "full" | "failed"): GatewayError {
  return outOfReach(new Error(state === "full" ? "the usage journal is full" : "the usage journal cannot write"));
}
