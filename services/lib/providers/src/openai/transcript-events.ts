import type { Upstream } from "@uag/catalog/types";
import { SseDecoder } from "@uag/untrusted/sse/decoder";
import { fieldsOf, parsedJson, textOf } from "../conversation/fields.ts";
import { UpstreamFailure } from "../failure.ts";
import { errorInside } from "../openai-compatible/errors.ts";
import { openAiVariant } from "../openai-compatible/variant.ts";
import { wholeEvent } from "../whole-event.ts";

/**
 * The transcript of a stream that was not asked for, as one body.
 * @throws {UpstreamFailure} for an error in the stream, or one that ends before its transcript
 */
export function collectedTranscript(stream: Buffer, upstream: Upstream): Buffer {
  const decoder = new SseDecoder({ maxEventBytes: stream.length });
  for (const event of [...decoder.push(stream), wholeEvent(decoder.end())]) {
    if (event?.data === undefined) continue;
    const value = fieldsOf(parsedJson(event.text));
    const failure = errorInside(value, upstream, openAiVariant);
    if (failure !== undefined) throw failure;
    const { type, ...transcript } = value;
    if ((textOf(type) ?? event.name) === "transcript.text.done") return Buffer.from(JSON.stringify(transcript));
  }
  throw new UpstreamFailure("transient", "the stream has no complete transcript", { status: 200 });
}
