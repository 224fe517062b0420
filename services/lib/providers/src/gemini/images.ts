import type { Upstream } from "@uag/catalog/types";
import { geminiRatios } from "@uag/contract/requests/image-ratios";
import { type Fields, fieldsOf, listOf, textOf } from "../conversation/fields.ts";
import { UpstreamFailure } from "../failure.ts";
import type { UpstreamCall } from "../generation.ts";
import { moderated, nothingMade, rawMember, responseFields } from "../images/response.ts";
import { nearestRatio, pixelsOf } from "../images/sizes.ts";
import type { ImageAdapter, ImageCall, ImageItem, ImageRequest, ImageResponse, InlineImage } from "../images/types.ts";
import { geminiErrorInside, geminiFailure } from "./errors.ts";
import { geminiHeaders } from "./headers.ts";
import { geminiUsage, geminiUsageIn } from "./usage.ts";

/** Upper bounds in pixels for `1K` and `2K`: halfway to the next tier, by area. */
const maxPixels: readonly (readonly [size: string, pixels: number])[] = [
  ["1K", 1_700_000],
  ["2K", 7_000_000],
];

/** Gemini's image models, called like its text models; one image per call, always inline. */
export const geminiImages: ImageAdapter = {
  maxPerCall: 1,
  takesUrls: false,
  priceVariants: () => [],
  encode,
  decode,
  usageIn: geminiUsageIn,
  failureOf: geminiFailure,
};

function encode(call: ImageCall, upstream: Upstream): Omit<UpstreamCall, "stream"> {
  const { prompt, references } = call.request;
  const pictures = (references as readonly InlineImage[]).map(({ mediaType, bytes }) => ({
    inlineData: { mimeType: mediaType, data: bytes.toString("base64") },
  }));
  const imageConfig = configOf(call.request, upstream.model);
  const body = {
    contents: [{ role: "user", parts: [...pictures, { text: prompt }] }],
    generationConfig: {
      responseModalities: ["TEXT", "IMAGE"],
      ...(Object.keys(imageConfig).length > 0 && { imageConfig }),
    },
  };
  return {
    path: `/v1beta/models/${encodeURIComponent(upstream.model)}:generateContent`,
    headers: [...geminiHeaders(upstream.provider), "x-client-request-id", call.requestId],
    body: Buffer.from(JSON.stringify(body)),
  };
}

function configOf({ size, options }: ImageRequest, model: string): { aspectRatio?: string; imageSize?: string } {
  const pixels = size === undefined ? undefined : pixelsOf(size);
  const ratio = textOf(options["aspect_ratio"]) ?? (pixels && nearestRatio(pixels, geminiRatios));
  const requested = textOf(options["resolution"])?.toUpperCase() ?? (pixels && tierOf(pixels.width * pixels.height));
  return {
    ...(ratio !== undefined && { aspectRatio: ratio }),
    // The 2.x models have one size and reject the field.
    ...(requested !== undefined && !/gemini-2/.test(model) && { imageSize: requested }),
  };
}

function tierOf(pixels: number): string {
  return maxPixels.find(([, max]) => pixels <= max)?.[0] ?? "4K";
}

function decode(body: Buffer, _call: ImageCall, upstream: Upstream): ImageResponse {
  const fields = responseFields(body);
  const failure = geminiErrorInside(fields, upstream);
  if (failure !== undefined) throw failure;
  const candidates = listOf(fields["candidates"]).map(fieldsOf);
  const parts = candidates.flatMap((candidate) => listOf(fieldsOf(candidate["content"])["parts"]).map(fieldsOf));
  const images = parts.flatMap(pictureIn);
  if (candidates.length === 0 && fields["promptFeedback"] === undefined) throw nothingMade([]);
  if (images.length === 0) throw withoutPicture(fields, candidates, parts);
  const usage = geminiUsage(fieldsOf(fields["usageMetadata"]));
  const raw = usage && rawMember(body, "usageMetadata");
  return {
    images,
    faults: [],
    billedImages: images.length,
    usage: raw && { units: usage.units, raw },
    fields,
    body,
  };
}

/** Sketches that belong to the model's thoughts are not part of the response. */
function pictureIn(part: Fields): ImageItem[] {
  const { data, mimeType } = fieldsOf(part["inlineData"] ?? part["inline_data"]);
  if (part["thought"] === true || typeof data !== "string" || data === "") return [];
  return [{ kind: "inline", base64: data, mediaType: textOf(mimeType) }];
}

function withoutPicture(fields: Fields, candidates: readonly Fields[], parts: readonly Fields[]): UpstreamFailure {
  const blocked = textOf(fieldsOf(fields["promptFeedback"])["blockReason"]);
  if (blocked !== undefined) return nothingMade([moderated(`The prompt was refused: ${blocked}.`)]);
  const reason = textOf(candidates[0]?.["finishReason"]) ?? "";
  if (/SAFETY|PROHIBITED|RECITATION|BLOCKLIST|SPII/.test(reason))
    return nothingMade([moderated(`The image was withheld: ${reason}.`)]);
  const text = parts.map((part) => textOf(part["text"]) ?? "").join("");
  const message =
    text === ""
      ? "The model generated no image."
      : `The model responded with text instead of an image: ${text.slice(0, 500)}`;
  const reported = { message, type: "invalid_request_error", code: "no_image", param: "prompt" };
  return new UpstreamFailure("client", message, { status: 200, reported });
}
