import type { Upstream } from "@uag/catalog/types";
import { countOf, type Fields, fieldsOf, listOf, textOf } from "../conversation/fields.ts";
import { UpstreamFailure } from "../failure.ts";
import type { BadResponse, UpstreamCall } from "../generation.ts";
import { imagesReported } from "../images/counted.ts";
import { nothingMade, rawMember, responseFields } from "../images/response.ts";
import { sizeToSend } from "../images/sizes.ts";
import { sourceUrl } from "../images/source-url.ts";
import type { ImageAdapter, ImageCall, ImageItem, ImageResponse } from "../images/types.ts";
import { openAiFailure } from "../openai-compatible/errors.ts";
import { bearerHeaders } from "../openai-compatible/headers.ts";
import { dashScopeVariant } from "./variant.ts";

const path = "/api/v1/services/aigc/multimodal-generation/generation";

/**
 * DashScope's own protocol for Qwen-Image: images first, then a single text (Model Studio,
 * qwen-image and qwen-image-edit).
 */
export const dashScopeImages: ImageAdapter = {
  maxPerCall: 1,
  takesUrls: true,
  priceVariants: ({ size }) => (size === undefined ? [] : [size]),
  encode,
  decode,
  usageIn: (fields) => imagesReported(fields, "image_count"),
  failureOf,
};

function encode(call: ImageCall, upstream: Upstream): Omit<UpstreamCall, "stream"> {
  const { prompt, references, options } = call.request;
  const size = sizeToSend(call)?.replace("x", "*");
  const content = [...references.map((source) => ({ image: sourceUrl(source) })), { text: prompt }];
  const body = {
    model: upstream.model,
    input: { messages: [{ role: "user", content }] },
    parameters: { ...(size !== undefined && { size }), n: call.request.count, ...options },
  };
  return { path, headers: bearerHeaders(upstream.provider, call.requestId), body: Buffer.from(JSON.stringify(body)) };
}

function decode(body: Buffer, _call: ImageCall, upstream: Upstream): ImageResponse {
  const fields = responseFields(body);
  // An error may arrive under status 200; it then has a code, which a result does not.
  if (textOf(fields["code"])) throw failureOf({ status: 400, header: () => undefined, body }, upstream);
  const images = listOf(fieldsOf(fields["output"])["choices"]).flatMap(picturesIn);
  if (images.length === 0) throw nothingMade([]);
  const raw = rawMember(body, "usage");
  return {
    images,
    faults: [],
    billedImages: countOf(fieldsOf(fields["usage"])["image_count"]) ?? images.length,
    usage: raw && { units: undefined, raw },
    fields,
    body,
  };
}

function picturesIn(choice: unknown): ImageItem[] {
  const message: Fields = fieldsOf(fieldsOf(choice)["message"]);
  return listOf(message["content"]).flatMap((part): ImageItem[] => {
    const url = textOf(fieldsOf(part)["image"]);
    return !url ? [] : [{ kind: "url", url }];
  });
}

/** Codes of faults that are not the client's, whatever the status. */
const ours = new Set(["Arrearage", "InvalidApiKey", "AccessDenied", "AccessDenied.Unpurchased", "Model.AccessDenied"]);

function failureOf(response: BadResponse, upstream: Upstream): UpstreamFailure {
  const failure = openAiFailure(response, upstream, dashScopeVariant);
  const { reported, status, retryAfterMs } = failure;
  const code = reported?.code ?? "";
  const again = { status, reported, retryAfterMs };
  if (ours.has(code)) return new UpstreamFailure("operator", failure.message, again);
  if (code.startsWith("Throttling") && failure.kind === "client") {
    return new UpstreamFailure("capacity", failure.message, again);
  }
  if (code === "InternalError" && failure.kind === "client") {
    return new UpstreamFailure("transient", failure.message, again);
  }
  return failure;
}
