import type { Upstream } from "@uag/catalog/types";
import { fieldsOf, parsedJson } from "../../conversation/fields.ts";
import { UpstreamFailure } from "../../failure.ts";
import type { GenerationAdapter, GenerationCall, UnaryResponse } from "../../generation.ts";
import { topLevelMembers } from "../../json-edit.ts";
import { eventsInTurns } from "../../reading/whole-stream.ts";
import { openAiFailure } from "../errors.ts";
import type { OpenAiVariant } from "../variant.ts";
import { failureIn } from "./errors.ts";
import { replayedResponse } from "./replay.ts";
import { encodeResponses } from "./request.ts";
import { isTerminal, ResponsesStream } from "./stream.ts";
import { outputText } from "./text.ts";
import { responsesUsageIn } from "./usage.ts";

/**
 * OpenAI's Responses format for an upstream that has it: bytes pass through in both directions.
 * Nothing is stored there.
 */
export function openAiResponses(variant: OpenAiVariant): GenerationAdapter {
  const decode: GenerationAdapter["decode"] = (body, call, upstream) =>
    decodeResponse(body, { call, upstream, variant });
  return {
    encode: encodeResponses,
    decode,
    async collect(body, call, upstream) {
      return decode(await collectedResponse(body, upstream, variant), call, upstream);
    },
    replay: (body, call, upstream) => replayedResponse(decode(body, call, upstream)),
    usageIn: responsesUsageIn,
    openStream: (call, upstream) => new ResponsesStream(call, upstream, variant),
    failureOf: (response, upstream) => openAiFailure(response, upstream, variant),
  };
}

interface ResponseContext {
  readonly call: GenerationCall;
  readonly upstream: Upstream;
  readonly variant: OpenAiVariant;
}

function decodeResponse(body: Buffer, { call, upstream, variant }: ResponseContext): UnaryResponse {
  const value = fieldsOf(parsedJson(body.toString("utf8")));
  const usage = responsesUsageIn(value, call);
  const failure = failureIn(value, upstream, variant);
  if (failure !== undefined) throw usage === undefined ? failure : failure.with({ usage });
  if (!Array.isArray(value["output"])) {
    throw new UpstreamFailure("transient", "the upstream's response has no output", { status: 200 });
  }
  return { body, usage, deliveredText: () => outputText(value) };
}

/**
 * The response in the last event of a complete stream.
 * @throws {UpstreamFailure} for an error in the stream, an event that is not JSON, or a missing end
 */
async function collectedResponse(body: Buffer, upstream: Upstream, variant: OpenAiVariant): Promise<Buffer> {
  for await (const event of eventsInTurns(body)) {
    if (event.data === undefined || event.text === "") continue;
    const value = fieldsOf(parsedJson(event.text));
    const type = String(value["type"]);
    if (type === "error") throw failureIn({ error: value["error"] ?? value }, upstream, variant) ?? noResponse();
    if (!isTerminal(type)) continue;
    const member = topLevelMembers(event.data).findLast(({ key }) => key === "response");
    if (member !== undefined) return event.data.subarray(member.valueStart, member.end);
  }
  throw noResponse();
}

const noResponse = (): UpstreamFailure =>
  new UpstreamFailure("transient", "the stream ended before it was finished", { status: 200 });
