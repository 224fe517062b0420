import { textOf } from "@uag/upstreams/conversation/fields.ts";
import type { ImageResult } from "../job.ts";

/**
 * What took effect: `background`, `output_format`, `quality`, `size`. The upstream's word goes
 * before what was asked for, and that before the default. Families that know no such settings have
 * none.
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
