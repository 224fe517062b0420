import i18next from "i18next";
import { compact } from "../../format/number.ts";
import type { en } from "../../i18n/en/en.ts";

type Names = (typeof en)["models"];

const spaced = (name: string): string => name.replaceAll("_", " ");

/**
 * `cached_input_tokens` as "cached input tokens", `video_seconds:720p` as "video seconds, 720p".
 * One that is newer than this page keeps its own name.
 */
export function unitText(unit: string): string {
  const [name = unit, variant] = unit.split(":");
  const text = i18next.t(`models.units.${name as keyof Names["units"]}`, { defaultValue: spaced(name) });
  return variant === undefined ? text : i18next.t("models.variant", { unit: text, variant });
}

/** An amount of a unit, for a line that names several: "1.2K in" for input tokens. */
export function shortUnitText(unit: string, count: number): string {
  const amount = compact(count);
  return i18next.t(`usage.short.${unit as "input_tokens"}`, {
    count,
    amount,
    defaultValue: `{{amount}} ${unitText(unit)}`,
  });
}

/** What goes in or comes out: text, image, audio. */
export function modalityText(name: string): string {
  return i18next.t(`models.kinds.${name as keyof Names["kinds"]}`, { defaultValue: spaced(name) });
}
