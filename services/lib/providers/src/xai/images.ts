import type { Upstream } from "@uag/catalog/types";
import { grokRatios } from "@uag/contract/requests/image-ratios";
import { fieldsOf, listOf, textOf } from "../conversation/fields.ts";
import type { UpstreamMessage } from "../failure.ts";
import type { UpstreamCall } from "../generation.ts";
import { usageReported } from "../images/counted.ts";
import { moderated, nothingMade, rawMember, responseFields } from "../images/response.ts";
import { nearestRatio, pixelsOf } from "../images/sizes.ts";
import { sourceUrl } from "../images/source-url.ts";
import type { ImageAdapter, ImageCall, ImageRequest, ImageResponse } from "../images/types.ts";
import { errorInside, openAiFailure } from "../openai-compatible/errors.ts";
import { bearerHeaders } from "../openai-compatible/headers.ts";
import { itemOf } from "../openai-compatible/image-item.ts";
import { openAiVariant } from "../openai-compatible/variant.ts";

/** Sizes above this many pixels map to the larger resolution: halfway between the two, by area. */
const maxPixelsOf1k = 1_700_000;

/** xAI's images: JSON for edits too, an aspect ratio and a resolution instead of a size. */
export const xaiImages: ImageAdapter = {
  maxPerCall: 10,
  takesUrls: true,
  priceVariants: (request) => {
    // Variant names contain no dots.
    const resolution = shapeOf(request).resolution.replace(".", "_");
    const quality = textOf(request.options["quality"]);
    return [...(quality === undefined ? [] : [`${quality}-${resolution}`]), resolution];
  },
  encode,
  decode,
  usageIn: usageReported,
  failureOf: (response, upstream) => openAiFailure(response, upstream, openAiVariant),
};

function shapeOf({ size, options }: ImageRequest): { aspect_ratio?: string; resolution: string } {
  const pixels = size === undefined ? undefined : pixelsOf(size);
  const large = pixels !== undefined && pixels.width * pixels.height > maxPixelsOf1k;
  const ratio = textOf(options["aspect_ratio"]) ?? (pixels && nearestRatio(pixels, grokRatios));
  return {
    ...(ratio !== undefined && { aspect_ratio: ratio }),
    resolution: textOf(options["resolution"]) ?? (large ? "2k" : "1k"),
  };
}

function encode(call: ImageCall, upstream: Upstream): Omit<UpstreamCall, "stream"> {
  const { prompt, count, references, options } = call.request;
  const images = references.map((source) => ({ type: "image_url", url: sourceUrl(source) }));
  const body = {
    model: upstream.model,
    prompt,
    n: count,
    ...options,
    ...shapeOf(call.request),
    // It does not say how long its URLs last, so clients that want URLs get ours.
    response_format: "b64_json",
    ...(images.length === 1 && { image: images[0] }),
    ...(images.length > 1 && { images }),
  };
  return {
    path: images.length === 0 ? "/images/generations" : "/images/edits",
    headers: bearerHeaders(upstream.provider, call.requestId),
    body: Buffer.from(JSON.stringify(body)),
  };
}

function decode(body: Buffer, _call: ImageCall, upstream: Upstream): ImageResponse {
  const fields = responseFields(body);
  const failure = errorInside(fields, upstream, openAiVariant);
  if (failure !== undefined) throw failure;
  const faults: UpstreamMessage[] = [];
  const images = listOf(fields["data"]).flatMap((item) => {
    const blocked = fieldsOf(item)["respect_moderation"] === false;
    const found = blocked ? [] : itemOf(item, undefined);
    if (found.length === 0) faults.push(moderated("The image was withheld by the provider's moderation."));
    return found;
  });
  if (images.length === 0) throw nothingMade(faults);
  const raw = rawMember(body, "usage");
  return { images, faults, billedImages: images.length, usage: raw && { units: undefined, raw }, fields, body };
}
