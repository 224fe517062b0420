import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import { dayOf } from "@uag/runtime/utc-days";
import { larger, smaller } from "./money.ts";

/** What one holder has of a credential's caps on one day, nano-USD. */
export interface CredentialSpend {
  readonly day: string;
  readonly holderId: string;
  readonly spent: bigint;
  readonly leased: bigint;
  /** Of the last lease. */
  readonly sequence: bigint;
}

/** What a request spent with its credential, and the day that it counts on: that of its start. */
export function credentialCharge({ upstreamCostNanoUsd, costNanoUsd, startedAtMs, ...event }: UsageEvent) {
  const { upstream: provider, upstreamCredentialId: credentialId, holderId } = event;
  const spent = upstreamCostNanoUsd ?? costNanoUsd;
  if (provider === "" || credentialId === undefined || spent === 0n) return undefined;
  return { provider, credentialId, holderId, day: dayOf(Number(startedAtMs)), spent };
}

/** What a holder asks for: see `LeaseSpendRequest`. */
export interface SpendTerms {
  readonly holderId: string;
  readonly day: string;
  readonly sequence: bigint;
  readonly least: bigint;
  readonly want: bigint;
  readonly daily: bigint | undefined;
  readonly monthly: bigint | undefined;
}

/** A lease takes at most this fraction (1/n) of what is left, unless requests need more. */
const share = 16n;

/** What counts against a cap: no holder spends more than its lease, except where a bill exceeds its hold. */
const countedOf = ({ spent, leased }: CredentialSpend): bigint => larger(spent, leased);

/** The lease of a holder after a call. */
export interface SpendLease {
  readonly leased: bigint;
  /** Of a call that arrived after a later one: nothing is written. */
  readonly isLate: boolean;
  /** The daily cap is what leaves less. */
  readonly isDaily: boolean;
}

/** @param rows of all holders in the month of the day */
export function spendLease(rows: readonly CredentialSpend[], terms: SpendTerms): SpendLease {
  const { holderId, day, sequence, least, want, daily, monthly } = terms;
  let [today, month] = [0n, 0n];
  for (const row of rows) {
    if (row.day === day && row.holderId === holderId) {
      if (row.sequence >= sequence) return { leased: row.leased, isLate: true, isDaily: false };
      continue;
    }
    month += countedOf(row);
    if (row.day === day) today += countedOf(row);
  }
  const leftToday = daily === undefined ? undefined : daily - today;
  const leftOfMonth = monthly === undefined ? undefined : monthly - month;
  const isDaily = leftOfMonth === undefined || (leftToday !== undefined && leftToday <= leftOfMonth);
  const left = (isDaily ? leftToday : leftOfMonth) ?? want;
  const ahead = want > least && left > want ? (left - want) / share : 0n;
  return { leased: larger(least, smaller(want + ahead, left)), isLate: false, isDaily };
}
