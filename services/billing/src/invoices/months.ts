/** A month (UTC) as `2027-01`. */
export const monthOf = (moment: Date): string => moment.toISOString().slice(0, 7);

/** The first moment of a month. */
export const startOf = (month: string): Date => new Date(`${month}-01T00:00:00Z`);

export function monthAfter(month: string): string {
  const start = startOf(month);
  return monthOf(new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1)));
}

/** All months from `first` to `last`, inclusive. */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  for (let month = first; month <= last; month = monthAfter(month)) months.push(month);
  return months;
}

/**
 * A transaction gets its time, by the database's clock, when it begins, and ends within a minute.
 * The clocks of two primaries in turn differ by less than the rest.
 */
const closesAfterMs = 3_600_000;

/** No new row of the ledger can get a seq in this month. */
export const isClosed = (month: string, nowMs: number): boolean =>
  startOf(monthAfter(month)).getTime() + closesAfterMs < nowMs;

/** Rows are numbered by the microseconds of their time, so a month is a range of seqs. */
export const seqOf = (moment: Date): bigint => BigInt(moment.getTime()) * 1_000n;
