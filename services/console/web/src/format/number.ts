import i18next from "i18next";

export function integer(value: number): string {
  return value.toLocaleString(i18next.language);
}

/** 12,345,678 as 12.3M. */
export function compact(value: number): string {
  return value.toLocaleString(i18next.language, { notation: "compact", maximumFractionDigits: 1 });
}

const byteUnits = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** 123,456 as 123.5 kB. */
export function bytes(value: number): string {
  const power = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  const unit = byteUnits[power] ?? "byte";
  return (value / 1_000 ** power).toLocaleString(i18next.language, { style: "unit", unit, maximumFractionDigits: 1 });
}

/** A share of 1 as a percentage. */
export function percent(share: number): string {
  return share.toLocaleString(i18next.language, { style: "percent", maximumFractionDigits: share < 0.1 ? 2 : 1 });
}

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
