import i18next from "i18next";

export function integer(value: number): string {
  return value.toLocaleString(i18next.language);
}

/** 12,345,678 as 12.3M. */
export function compact(value: number): string {
  return value.toLocaleString(i18next.language, { notation: "compact", maximumFractionDigits: 1 });
}

const byteUnits = ["B", "kB", "MB", "GB"] as const;

/** 123,456 as 123.5 kB. */
export function bytes(value: number): string {
  const power = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  const amount = (value / 1_000 ** power).toLocaleString(i18next.language, { maximumFractionDigits: 1 });
  return `${amount} ${byteUnits[power]}`;
}

const smallestShare = 0.000_1;

/** A share of 1 as a percentage, rounded down: 100% and 0% mean all and nothing. */
export function percent(share: number): string {
  const text = (value: number): string =>
    value.toLocaleString(i18next.language, {
      style: "percent",
      maximumFractionDigits: value < 0.1 ? 2 : 1,
      roundingMode: "floor",
    });
  return share > 0 && share < smallestShare ? `<${text(smallestShare)}` : text(share);
}

/** A change in percent, with its sign. */
export const percentChange = (percent: number): string =>
  (percent / 100).toLocaleString(i18next.language, {
    style: "percent",
    signDisplay: "exceptZero",
    maximumFractionDigits: 2,
  });

/** Milliseconds as 340 ms, 1.2 s or 3.4 min. */
export function duration(ms: number): string {
  const unit = (value: number, name: string): string =>
    value.toLocaleString(i18next.language, {
      style: "unit",
      unit: name,
      unitDisplay: "short",
      maximumFractionDigits: value < 100 && name !== "millisecond" ? 1 : 0,
    });
  if (ms < 1_000) return unit(ms, "millisecond");
  return ms < 60_000 ? unit(ms / 1_000, "second") : unit(ms / 60_000, "minute");
}
