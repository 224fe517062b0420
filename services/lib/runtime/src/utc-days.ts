const dayMs = 86_400_000;
const pattern = /^\d{4}-\d{2}-\d{2}$/;

/** A day's first millisecond (UTC). */
export function startOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

/** The day (UTC) of a time in milliseconds, as `2027-01-31`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The day `count` days after the given one. */
export function dayAfter(day: string, count = 1): string {
  return dayOf(startOf(day) + count * dayMs);
}

/** True for an existing day in the form `2026-11-24`. */
export function isDay(text: string): boolean {
  return pattern.test(text) && !Number.isNaN(startOf(text)) && dayOf(startOf(text)) === text;
}

/** Every day of a range, in order. */
export function daysOf({ first, last }: { readonly first: string; readonly last: string }): string[] {
  const days: string[] = [];
  for (let day = first; day <= last; day = dayAfter(day)) days.push(day);
  return days;
}
