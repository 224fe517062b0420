import type { Model } from "@uag/catalog/types";
import { imageRequests } from "@uag/contract/requests/images";
import { pixelsOf } from "@uag/providers/images/sizes";
import type { ImageRequest } from "@uag/providers/images/types";
import { checked } from "@uag/untrusted/schema-fault";
import type { Reader } from "./reader.ts";
import { checkCount, checkListed, invalid, plainQuality, present } from "./schema.ts";

const sideStep = 16;
const maxSide = 3_840;
const steepestRatio = 3;

/** OpenAI's own body, for the GPT image models and for DALL-E, which supports only some of it. */
export const readGamma: Reader = ({ fields, model }) => {
  const requested = checked(imageRequests.gamma, fields);
  const isGamma = model.image?.family === "gamma";
  checkCount(requested.n ?? 1, model);
  if (requested.size != null) checkSize(requested.size, model);
  checkTransparency(requested.background, requested.output_format);
  checkStream(requested, isGamma);
  const { background, output_format, output_compression, moderation, partial_images, user, quality } = requested;
  const gammaOptions = { background, output_format, output_compression, moderation, partial_images };
  return {
    prompt: requested.prompt,
    count: requested.n ?? 1,
    references: [],
    mask: undefined,
    size: requested.size === "auto" && !isGamma ? undefined : (requested.size ?? undefined),
    delivery: deliveryOf(requested.response_format, isGamma),
    stream: requested.stream === true,
    options: present({ ...(isGamma && { ...gammaOptions, quality: quality && plainQuality(quality) }), user }),
  };
};

/** The default delivery: inline for models that normally respond inline, a URL for the others. */
function deliveryOf(format: "url" | "b64_json" | null | undefined, isGamma: boolean): ImageRequest["delivery"] {
  if (format == null) return isGamma ? "inline" : "url";
  return format === "url" ? "url" : "inline";
}

/** @throws {GatewayError} when streaming is requested but not supported */
function checkStream(
  requested: { stream?: boolean | null | undefined; response_format?: string | null | undefined },
  isGamma: boolean,
): void {
  if (requested.stream !== true) return;
  if (!isGamma) throw invalid("stream", "is not supported by this model");
  if (requested.response_format === "url") throw invalid("response_format", "must be b64_json for a stream");
}

/** @throws {GatewayError} when the format cannot be transparent */
export function checkTransparency(background: string | null | undefined, format: string | null | undefined): void {
  if (background !== "transparent" || format !== "jpeg") return;
  throw invalid("background", "transparent requires output_format png or webp");
}

function checkSize(size: string, model: Model): void {
  if (size === "auto") return;
  const sizes = model.image?.sizes ?? [];
  if (sizes.length > 0) {
    checkListed(size, sizes);
    return;
  }
  const pixels = pixelsOf(size);
  if (pixels === undefined || !size.includes("x")) throw invalid("size", "must be auto or <width>x<height>");
  const { width, height } = pixels;
  if (width % sideStep !== 0 || height % sideStep !== 0) throw invalid("size", `must be multiples of ${sideStep}`);
  const [short, long] = width < height ? [width, height] : [height, width];
  if (long > maxSide) throw invalid("size", `must be at most ${maxSide} pixels a side`);
  if (long > short * steepestRatio) throw invalid("size", `must not be longer than ${steepestRatio}:1`);
}
