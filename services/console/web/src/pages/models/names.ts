import i18next from "i18next";
import type { en } from "../../i18n/en/en.ts";

type Names = (typeof en)["models"];
type Short = (typeof en)["usage"]["short"];

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

/** So much of a unit, for a line that names several: "1.2K in" for the tokens that went in. */
export function shortUnitText(unit: string, amount: string): string {
  return i18next.t(`usage.short.${unit as keyof Short}`, { amount, defaultValue: `{{amount}} ${unitText(unit)}` });
}

/** What goes in or comes out: text, image, audio. */
export function modalityText(name: string): string {
  return i18next.t(`models.kinds.${name as keyof Names["kinds"]}`, { defaultValue: spaced(name) });
}
