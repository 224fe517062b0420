import type { Actor } from "@uag/proto/common/v1/actor.ts";

/**
 * What triggers an alert: shares of a monthly amount, shares of a key's monthly budget or of a
 * shared one, or an account with less than an amount left.
 */
export const kinds = ["spend", "budget", "balance"] as const;

/** The settings of an alert. */
export interface Terms {
  /** Absent in alerts stored when only `spend` existed. */
  readonly kind?: (typeof kinds)[number];
  readonly name: string;
  /** What is 100 % of a `spend`; 0 of others. */
  readonly monthlyNanoUsd: bigint;
  /** For a `balance`: the amount below which it fires. */
  readonly belowNanoUsd?: bigint;
  /** Percent, ascending; none of a `balance`. */
  readonly thresholds: readonly number[];
  /** Empty for none. */
  readonly webhookUrl: string;
  readonly emails: readonly string[];
}

/**
 * A threshold that was reached: in a month, of the amount that was 100 % then, it counts once. A
 * low balance counts once for each amount and total of top-ups.
 */
export interface Notice {
  /** Such as `2027-01`. Of a shared budget its period: also `2027-01-04` or `total`. */
  readonly month: string;
  /** 0 for a low balance. */
  readonly threshold: number;
  /** For a low balance: the amount that it fell below. */
  readonly monthlyNanoUsd: bigint;
  readonly spentNanoUsd: bigint;
  /** Only for a low balance. */
  readonly balance?: Balance;
  readonly at: Date;
}

/** An account's remaining balance, holds included, and the total of its top-ups, nano-USD. */
export interface Balance {
  readonly leftNanoUsd: bigint;
  readonly toppedUpNanoUsd: bigint;
}

/** The amount of 100 % when a month was last evaluated. */
export interface MonthFull {
  /** Such as `2027-01`. */
  readonly month: string;
  readonly nanoUsd: bigint;
}

/** The input of an alert's evaluation. */
export interface Figures {
  /** The amount of 100 %, nano-USD; 0 if there is none, as for a key without a budget. */
  readonly fullNanoUsd: bigint;
  readonly spentNanoUsd: bigint;
  /** Only for a `balance`. */
  readonly balance?: Balance;
  /** Only for a shared budget. */
  readonly budget?: SharedBudget;
}

/** A budget that keys share. */
export interface SharedBudget {
  readonly name: string;
  readonly period: "day" | "week" | "month" | "total";
  /** Whether it refuses requests. */
  readonly hard: boolean;
}

export interface AlertDocument extends Terms {
  readonly _id: string;
  readonly accountId: string;
  /** Empty for all the account's keys together. */
  readonly keyId: string;
  /** A shared budget; absent for none. */
  readonly budgetId?: string;
  readonly createdAt: Date;
  readonly createdBy?: Actor;
  /** When it is evaluated next. A claim postpones this, which makes it the lease. */
  readonly dueAt: Date;
  /** The latest, the oldest first. */
  readonly notices: readonly Notice[];
  readonly testedAt?: Date;
  /** Of the last two months in which it was evaluated. */
  readonly fulls?: readonly MonthFull[];
}

/** A month of UTC. */
export interface Month {
  /** Such as `2027-01`. */
  readonly name: string;
  readonly start: Date;
  readonly end: Date;
}

export function monthOf(ms: number): Month {
  const at = new Date(ms);
  const start = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth()));
  const end = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1));
  return { name: start.toISOString().slice(0, 7), start, end };
}

/** A month to evaluate. */
export interface OpenMonth extends Month {
  /** The amount of 100 % in that month, nano-USD; undefined for the current month: the current amount. */
  readonly fullNanoUsd?: bigint | undefined;
}

/**
 * The months whose spending may still reach a threshold: the current one, and the one before for as
 * long. Its last usage may come late, as a video's does, and an outage may last over its end. The
 * earlier month counts by what 100 % was then, and not for an alert that did not exist yet.
 */
export function openMonths(
  nowMs: number,
  { createdAt, fulls = [] }: Pick<AlertDocument, "createdAt" | "fulls">,
): OpenMonth[] {
  const current = monthOf(nowMs);
  const earlier = monthOf(current.start.getTime() - 1);
  if (createdAt >= earlier.end) return [current];
  return [{ ...earlier, fullNanoUsd: fulls.find(({ month }) => month === earlier.name)?.nanoUsd }, current];
}

/** The stored amounts of 100 % after a month was evaluated: those of two months. */
export function fullsAfter(fulls: readonly MonthFull[], month: string, nanoUsd: bigint): MonthFull[] {
  return [...fulls.filter((full) => full.month !== month), { month, nanoUsd }].slice(-2);
}

/** The thresholds that are reached and were not reported yet, ascending. */
export function reached(
  { thresholds, notices }: Pick<AlertDocument, "thresholds" | "notices">,
  { name }: Pick<Month, "name">,
  { fullNanoUsd, spentNanoUsd }: Figures,
): number[] {
  if (fullNanoUsd <= 0n) return [];
  const isReported = (threshold: number): boolean =>
    notices.some(
      (notice) => notice.month === name && notice.threshold === threshold && notice.monthlyNanoUsd === fullNanoUsd,
    );
  return thresholds.filter(
    (threshold) => spentNanoUsd * 100n >= fullNanoUsd * BigInt(threshold) && !isReported(threshold),
  );
}

/** Whether the balance is below an alert's amount and this was not reported since the last top-up. */
export function isLow(
  { belowNanoUsd = 0n, notices }: Pick<AlertDocument, "belowNanoUsd" | "notices">,
  { leftNanoUsd, toppedUpNanoUsd }: Balance,
): boolean {
  const isReported = notices.some(
    ({ balance, monthlyNanoUsd }) => balance?.toppedUpNanoUsd === toppedUpNanoUsd && monthlyNanoUsd === belowNanoUsd,
  );
  return leftNanoUsd < belowNanoUsd && !isReported;
}
