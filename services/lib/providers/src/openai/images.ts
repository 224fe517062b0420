import type { Upstream } from "@uag/catalog/types";
import { listOf, textOf } from "../conversation/fields.ts";
import { nothingMade, rawMember, responseFields } from "../images/response.ts";
import { sizeToSend } from "../images/sizes.ts";
import type { ImageAdapter, ImageCall, ImageResponse, InlineImage } from "../images/types.ts";
import { errorInside, openAiFailure } from "../openai-compatible/errors.ts";
import { bearerHeaders } from "../openai-compatible/headers.ts";
import { itemOf } from "../openai-compatible/image-item.ts";
import { openAiVariant } from "../openai-compatible/variant.ts";
import type { PostedCall } from "../post.ts";
import { bodyKind } from "../reading/body-kind.ts";
import { OpenAiImageStream } from "./image-stream.ts";
import { imageUsageIn, unitsOfImageUsage } from "./image-usage.ts";
import { MultipartForm } from "./multipart.ts";
import { collectedImages, replayedImages } from "./other-kind.ts";

/** OpenAI's images: text to image as JSON, edits as a form (API reference, images). */
export const openAiImages: ImageAdapter = {
  maxPerCall: 10,
  takesUrls: false,
  priceVariants({ options, size }) {
    const quality = textOf(options["quality"]);
    return size === undefined ? [] : [...(quality === undefined ? [] : [`${quality}-${size}`]), size];
  },
  encode: (call, upstream) => (call.request.references.length === 0 ? drawn(call, upstream) : edited(call, upstream)),
  decode,
  usageIn: imageUsageIn,
  replay: replayedImages,
  openStream: (call, upstream) => new OpenAiImageStream(call, upstream),
  failureOf: (response, upstream) => openAiFailure(response, upstream, openAiVariant),
};

function fieldsToSend(call: ImageCall, upstream: Upstream): Record<string, unknown> {
  const { prompt, count, stream, options } = call.request;
  const size = sizeToSend(call);
  return {
    model: upstream.model,
    prompt,
    n: count,
    ...(size !== undefined && { size }),
    ...options,
    // The others always respond inline and reject the field. DALL-E's URLs expire within the hour,
    // so clients that want URLs get ours.
    ...(call.model.image?.family === "delta" && { response_format: "b64_json" }),
    ...(stream && { stream: true }),
  };
}

function drawn(call: ImageCall, upstream: Upstream): PostedCall {
  return {
    path: "/images/generations",
    headers: bearerHeaders(upstream.provider, call.requestId),
    body: Buffer.from(JSON.stringify(fieldsToSend(call, upstream))),
  };
}

function edited(call: ImageCall, upstream: Upstream): PostedCall {
  const { references, mask } = call.request;
  const form = new MultipartForm();
  for (const [name, value] of Object.entries(fieldsToSend(call, upstream))) form.field(name, String(value));
  const name = references.length === 1 ? "image" : "image[]";
  for (const [index, image] of references.entries())
    addImage(form, `image-${index + 1}`, { name, ...(image as InlineImage) });
  if (mask !== undefined) addImage(form, "mask", { name: "mask", ...(mask as InlineImage) });
  const { contentType, body } = form.finish();
  return { path: "/images/edits", headers: bearerHeaders(upstream.provider, call.requestId, contentType), body };
}

function addImage(
  form: MultipartForm,
  title: string,
  { name, mediaType, bytes }: InlineImage & { readonly name: string },
): void {
  const ending = mediaType.slice(mediaType.indexOf("/") + 1);
  form.file(name, `${title}.${ending}`, { mediaType, chunks: [bytes] });
}

function decode(received: Buffer, _call: ImageCall, upstream: Upstream): ImageResponse {
  const body = bodyKind(received) === "events" ? collectedImages(received, upstream) : received;
  const fields = responseFields(body);
  const failure = errorInside(fields, upstream, openAiVariant);
  if (failure !== undefined) throw failure;
  const mediaType = textOf(fields["output_format"]);
  const images = listOf(fields["data"]).flatMap((item) =>
    itemOf(item, mediaType === undefined ? undefined : `image/${mediaType}`),
  );
  if (images.length === 0) throw nothingMade([]);
  const units = unitsOfImageUsage(fields["usage"]);
  const raw = units && rawMember(body, "usage");
  return {
    images,
    faults: [],
    billedImages: images.length,
    usage: raw && { units, raw },
    fields,
    body,
  };
}
