import i18next from "i18next";

/** A short date is unmistakable in Chinese, year first, and leaves room in a phone's tables. */
const dateStyleIn = (language: string): "short" | "medium" => (language === "zh" ? "short" : "medium");

const formatsIn = (language: string) =>
  ({
    date: { dateStyle: dateStyleIn(language) },
    time: { dateStyle: dateStyleIn(language), timeStyle: "short" },
    exact: { dateStyle: "full", timeStyle: "long" },
    hour: { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" },
    day: { month: "short", day: "numeric", timeZone: "UTC" },
    month: { month: "short", year: "numeric", timeZone: "UTC" },
  }) as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** A time of this year in a table: the year would take a line of its own on a phone. */
const thisYear: Intl.DateTimeFormatOptions = { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" };

/**
 * A time in the viewer's language and zone. `day` and `month` label buckets of usage, which are
 * UTC's, so they are dates in UTC.
 */
export function timeText(iso: string, format: keyof ReturnType<typeof formatsIn>): string {
  const { language } = i18next;
  const at = new Date(iso);
  const isThisYear = at.getFullYear() === new Date().getFullYear();
  const options = format === "time" && isThisYear ? thisYear : formatsIn(language)[format];
  return new Intl.DateTimeFormat(language, options).format(at);
}

const steps = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24],
  ["day", 30],
  ["month", 12],
  ["year", Number.POSITIVE_INFINITY],
] as const;

/** How far a time is from now: "3 minutes ago", "in 5 days". */
export function relativeText(iso: string, now: number = Date.now()): string {
  let value = (Date.parse(iso) - now) / 1_000;
  for (const [unit, size] of steps) {
    if (Math.abs(value) < size)
      return new Intl.RelativeTimeFormat(i18next.language, { numeric: "auto" }).format(Math.round(value), unit);
    value /= size;
  }
  return "";
}
