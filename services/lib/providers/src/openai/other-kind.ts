import type { Upstream } from "@uag/catalog/types";
import { SseDecoder } from "@uag/untrusted/sse/decoder";
import { encodeSse } from "@uag/untrusted/sse/encoder";
import { fieldsOf, listOf, parsedJson, textOf } from "../conversation/fields.ts";
import { UpstreamFailure } from "../failure.ts";
import type { ReplayedResponse } from "../generation.ts";
import type { ImageResponse } from "../images/types.ts";
import { errorInside } from "../openai-compatible/errors.ts";
import { openAiVariant } from "../openai-compatible/variant.ts";
import { wholeEvent } from "../whole-event.ts";

/**
 * The images of a stream that was not asked for, as one body.
 * @throws {UpstreamFailure} for an error in the stream, or one without a complete image
 */
export function collectedImages(stream: Buffer, upstream: Upstream): Buffer {
  const decoder = new SseDecoder({ maxEventBytes: stream.length });
  const events = decoder.push(stream);
  const data: object[] = [];
  let usage: unknown;
  let head: object = {};
  for (const event of [...events, wholeEvent(decoder.end())]) {
    if (event?.data === undefined) continue;
    const value = fieldsOf(parsedJson(event.text));
    const failure = errorInside(value, upstream, openAiVariant);
    if (failure !== undefined) throw failure;
    const { type, b64_json, created_at: created, usage: reported, ...others } = value;
    if (!(event.name || (textOf(type) ?? "")).endsWith(".completed")) continue;
    data.push({ b64_json });
    usage = reported ?? usage;
    head = { created, ...others };
  }
  if (data.length === 0) {
    throw new UpstreamFailure("transient", "the stream has no complete image", { status: 200 });
  }
  return Buffer.from(JSON.stringify({ ...head, data, usage }));
}

/** A complete response as a stream (OpenAI's reference, image streaming events). */
export function replayedImages({ fields, usage }: ImageResponse): ReplayedResponse {
  const { data, created: createdAt, ...others } = fields;
  const type = "image_generation.completed";
  const events = listOf(data).map((item) => {
    const { b64_json } = fieldsOf(item);
    return encodeSse({ name: type, data: JSON.stringify({ type, b64_json, created_at: createdAt, ...others }) });
  });
  const closing = events.pop() ?? Buffer.alloc(0);
  const report = usage?.units && { units: usage.units, raw: usage.raw };
  return { output: events, closing, usage: report, delivered: { text: "", roughTokens: 0 } };
}
