import type { Actor } from "@uag/proto/common/v1/actor.ts";

/** What a person says of an alert. */
export interface Terms {
  readonly name: string;
  /** What is 100 %. */
  readonly monthlyNanoUsd: bigint;
  /** Percent, ascending. */
  readonly thresholds: readonly number[];
  /** Empty for none. */
  readonly webhookUrl: string;
  readonly emails: readonly string[];
}

/** A threshold that was reached: in a month, of the amount that was 100 % then, it counts once. */
export interface Notice {
  /** Such as `2027-01`. */
  readonly month: string;
  readonly threshold: number;
  readonly monthlyNanoUsd: bigint;
  readonly spentNanoUsd: bigint;
  readonly at: Date;
}

export interface AlertDocument extends Terms {
  readonly _id: string;
  readonly accountId: string;
  /** Empty for all the account's keys together. */
  readonly keyId: string;
  readonly createdAt: Date;
  readonly createdBy?: Actor;
  /** When it is looked at next. A claim postpones this, which makes it the lease. */
  readonly dueAt: Date;
  /** The latest, the oldest first. */
  readonly notices: readonly Notice[];
  readonly testedAt?: Date;
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

/** How long after a month's end its last usage may still arrive, milliseconds. */
const stragglersMs = 3_600_000;

/** The months that may have spending of which nobody was told: mostly one. */
export function openMonths(nowMs: number): Month[] {
  const [current, earlier] = [monthOf(nowMs), monthOf(nowMs - stragglersMs)];
  return earlier.name === current.name ? [current] : [earlier, current];
}

/** The thresholds that are reached and of which nobody was told, ascending. */
export function reached(alert: AlertDocument, month: Month, spentNanoUsd: bigint): number[] {
  const { thresholds, monthlyNanoUsd, notices } = alert;
  const isTold = (threshold: number): boolean =>
    notices.some(
      (notice) =>
        notice.month === month.name && notice.threshold === threshold && notice.monthlyNanoUsd === monthlyNanoUsd,
    );
  return thresholds.filter(
    (threshold) => spentNanoUsd * 100n >= monthlyNanoUsd * BigInt(threshold) && !isTold(threshold),
  );
}
