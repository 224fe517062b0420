import type { Model } from "@uag/catalog/types";
import { imageEditFields } from "@uag/contract/requests/images";
import { checked } from "@uag/untrusted/schema-fault";
import { checkTransparency } from "../families/gamma.ts";
import { checkCount, checkListed, invalid, plainQuality, present } from "../families/schema.ts";

export interface EditFields {
  readonly prompt: string;
  readonly count: number;
  readonly size: string | undefined;
  readonly delivery: "url" | "inline";
  readonly stream: boolean;
  /** Under OpenAI's names, as sent to the upstream. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Validates an edit's fields for a model. @throws {GatewayError} naming the field */
export function readFields(form: ReadonlyMap<string, string>, model: Model): EditFields {
  // Fields arrive as text; an empty one counts as absent, except `n`.
  const requested = checked(
    imageEditFields,
    Object.fromEntries([...form].filter(([name, value]) => value !== "" || name === "n")),
  );
  const family = model.image?.family;
  const isGamma = family === "gamma";
  checkCount(requested.n ?? 1, model);
  const sizes = model.image?.editSizes ?? [];
  if (requested.size !== undefined && requested.size !== "auto" && sizes.length > 0) checkListed(requested.size, sizes);
  checkTransparency(requested.background, requested.output_format);
  if (!isGamma) refuseGammaFields(requested);
  const { background, output_format, output_compression, input_fidelity, partial_images, user, quality } = requested;
  const gammaOptions = { background, output_format, output_compression, input_fidelity, partial_images };
  return {
    prompt: requested.prompt,
    count: requested.n ?? 1,
    size: requested.size === "auto" && !isGamma ? undefined : requested.size,
    // Models that always respond inline do so whatever is requested.
    delivery: requested.response_format === "url" && !isGamma ? "url" : "inline",
    stream: requested.stream === "true",
    options: present({
      ...(isGamma && { ...gammaOptions, quality: quality && plainQuality(quality) }),
      ...((isGamma || family === "delta") && { user }),
    }),
  };
}

/**
 * Models of other families produce only opaque PNGs of one quality: explicitly requesting that is
 * allowed, anything else is an error.
 */
function refuseGammaFields(requested: {
  output_format?: string | undefined;
  background?: string | undefined;
  stream?: string | undefined;
}): void {
  if (requested.output_format !== undefined && requested.output_format !== "png") {
    throw invalid("output_format", "must be png for this model");
  }
  if (requested.background === "transparent") throw invalid("background", "must be opaque or auto for this model");
  if (requested.stream === "true") throw invalid("stream", "is not supported by this model");
}
