import { textOf } from "@uag/providers/conversation/fields";
import type { ImageResult } from "../job.ts";

/**
 * The settings that took effect: `background`, `output_format`, `quality`, `size`. The upstream's
 * value takes precedence over the requested one, and that over the default. Empty for families
 * without such settings.
 */
export function effectiveOf({ job, responses }: ImageResult): object {
  const family = job.model.image?.family;
  if (family !== "gamma" && job.operation !== "images.edits") return {};
  const { options, size } = job.request;
  const fields = responses[0]?.fields ?? {};
  const of = (name: string, otherwise: string): string => textOf(fields[name]) ?? textOf(options[name]) ?? otherwise;
  const isGamma = family === "gamma";
  return {
    background: of("background", isGamma ? "auto" : "opaque"),
    output_format: of("output_format", "png"),
    quality: of("quality", isGamma ? "auto" : "standard"),
    size: textOf(fields["size"]) ?? responses[0]?.images[0]?.size ?? size ?? "auto",
  };
}
