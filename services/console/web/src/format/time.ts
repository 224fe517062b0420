import i18next from "i18next";

/** A short date is unmistakable in Chinese, year first, and leaves room in a phone's tables. */
const dateStyleIn = (language: string): "short" | "medium" => (language === "zh" ? "short" : "medium");

const formatsIn = (language: string) =>
  ({
    date: { dateStyle: dateStyleIn(language) },
    time: { dateStyle: dateStyleIn(language), timeStyle: "short" },
    second: { dateStyle: dateStyleIn(language), timeStyle: "medium" },
    exact: { dateStyle: "full", timeStyle: "long" },
    hour: { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" },
    day: { month: "short", day: "numeric", timeZone: "UTC" },
    month: { month: "short", year: "numeric", timeZone: "UTC" },
  }) as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** A time of this year in a table: the year would take a line of its own on a phone. */
const thisYear: Intl.DateTimeFormatOptions = { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" };
const shortFormats: Partial<Record<string, Intl.DateTimeFormatOptions>> = {
  time: thisYear,
  second: { ...thisYear, second: "2-digit" },
};

/**
 * A time in the viewer's language and zone. `day` and `month` label buckets of usage, which are
 * UTC's, so they are dates in UTC.
 */
export function timeText(iso: string, format: keyof ReturnType<typeof formatsIn>): string {
  const { language } = i18next;
  const at = new Date(iso);
  const isThisYear = at.getFullYear() === new Date().getFullYear();
  const options = (isThisYear ? shortFormats[format] : undefined) ?? formatsIn(language)[format];
  return new Intl.DateTimeFormat(language, options).format(at);
}

const twoDigits = (value: number): string => String(value).padStart(2, "0");

/** A time for an input of the type `datetime-local`, in the viewer's zone; empty for an invalid one. */
export function localOfIso(iso: string | undefined): string {
  const at = new Date(iso ?? "");
  if (Number.isNaN(at.getTime())) return "";
  const date = [at.getFullYear(), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join("-");
  return `${date}T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
}

/** The time of such an input in UTC, to the minute; undefined for an empty or invalid one. */
export function isoOfLocal(local: string): string | undefined {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? undefined : `${at.toISOString().slice(0, 16)}Z`;
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
