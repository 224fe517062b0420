import type { Upstream } from "@uag/catalog/types";
import { countOf, fieldsOf, isFields, listOf, textOf } from "../conversation/fields.ts";
import type { UpstreamMessage } from "../failure.ts";
import type { UpstreamCall } from "../generation.ts";
import { imagesReported } from "../images/counted.ts";
import { nothingMade, rawMember, responseFields } from "../images/response.ts";
import { sizeToSend } from "../images/sizes.ts";
import { sourceUrl } from "../images/source-url.ts";
import type { ImageAdapter, ImageCall, ImageResponse } from "../images/types.ts";
import { errorInside, openAiFailure } from "../openai-compatible/errors.ts";
import { bearerHeaders } from "../openai-compatible/headers.ts";
import { itemOf } from "../openai-compatible/image-item.ts";
import { redact } from "../redact.ts";
import { arkVariant } from "./variant.ts";

/** Ark's Seedream: one set of images per call, and no `n` (ModelArk's image generation API). */
export const arkImages: ImageAdapter = {
  maxPerCall: 1,
  takesUrls: true,
  priceVariants: ({ size }) => (size === undefined ? [] : [size]),
  encode,
  decode,
  usageIn: (fields) => imagesReported(fields, "generated_images"),
  failureOf: (response, upstream) => openAiFailure(response, upstream, arkVariant),
};

function encode(call: ImageCall, upstream: Upstream): Omit<UpstreamCall, "stream"> {
  const { prompt, references, delivery, options } = call.request;
  const size = sizeToSend(call);
  const images = references.map(sourceUrl);
  const body = {
    model: upstream.model,
    prompt,
    ...(images.length > 0 && { image: images.length === 1 ? images[0] : images }),
    ...(size !== undefined && { size }),
    response_format: delivery === "url" ? "url" : "b64_json",
    // Their default is a watermark; ours is none, as for every other family.
    watermark: false,
    ...options,
  };
  return {
    path: "/images/generations",
    headers: bearerHeaders(upstream.provider, call.requestId),
    body: Buffer.from(JSON.stringify(body)),
  };
}

function decode(body: Buffer, _call: ImageCall, upstream: Upstream): ImageResponse {
  const fields = responseFields(body);
  const items = listOf(fields["data"]);
  const faults = items.flatMap((item) => faultIn(item, upstream));
  const images = items.flatMap((item) => itemOf(item, undefined));
  if (images.length === 0) throw errorInside(fields, upstream, arkVariant) ?? nothingMade(faults);
  const raw = rawMember(body, "usage");
  return {
    images,
    faults,
    billedImages: countOf(fieldsOf(fields["usage"])["generated_images"]) ?? images.length,
    usage: raw && { units: undefined, raw },
    fields,
    body,
  };
}

/** A failed image appears among the others as `{error: {code, message}}`. */
function faultIn(item: unknown, upstream: Upstream): UpstreamMessage[] {
  const { error } = fieldsOf(item);
  if (!isFields(error)) return [];
  const message = redact(textOf(error["message"]) ?? "The image was not generated.", upstream.provider);
  return [{ message, type: "invalid_request_error", code: textOf(error["code"]), param: undefined }];
}
