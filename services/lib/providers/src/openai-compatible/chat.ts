import { UpstreamFailure } from "../failure.ts";
import type { GenerationAdapter, UnaryResponse } from "../generation.ts";
import { editMembers, type Member, topLevelMembers } from "../json-edit.ts";
import { collectChat, type ResponseContext } from "./collect.ts";
import { errorInside, openAiFailure } from "./errors.ts";
import { replayedChat } from "./replay.ts";
import { encodeChat } from "./request.ts";
import { OpenAiStream } from "./stream.ts";
import { generatedText } from "./text.ts";
import { openAiUsageIn, thoughtUnitOf, unitsOfUsage, usageWithReasoningInside } from "./usage.ts";
import type { OpenAiVariant } from "./variant.ts";

/** OpenAI's chat format for an upstream that uses it: bytes pass through in both directions. */
export function openAiChat(variant: OpenAiVariant): GenerationAdapter {
  return {
    encode: (call, upstream) => encodeChat(call, upstream, variant),
    decode: (body, call, upstream) => decodeChat(body, { call, upstream, variant }),
    collect: (body, call, upstream) => collectChat(body, { call, upstream, variant }),
    replay: (body, call, upstream) => replayedChat(decodeChat(body, { call, upstream, variant }), call),
    usageIn: openAiUsageIn,
    openStream: (call, upstream) => new OpenAiStream(call, upstream, variant),
    failureOf: (response, upstream) => openAiFailure(response, upstream, variant),
  };
}

function decodeChat(body: Buffer, { call, upstream, variant }: ResponseContext): UnaryResponse {
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch (error) {
    throw new UpstreamFailure("transient", "the upstream's response is not JSON", { status: 200, cause: error });
  }
  const failure = errorInside(value, upstream, variant);
  if (failure !== undefined) throw failure;
  if (!Array.isArray((value as { choices?: unknown } | null)?.choices)) {
    throw new UpstreamFailure("transient", "the upstream's response has no choices", { status: 200 });
  }
  const { usage } = value as { usage?: unknown };
  const deliveredText = (): string => generatedText(value);
  const units = unitsOfUsage(usage, thoughtUnitOf(call.model));
  if (units === undefined) return { body, usage: undefined, deliveredText };
  const members = topLevelMembers(body);
  return { body: bodyWithUsage(body, members, usage), usage: { units, raw: rawUsage(body, members) }, deliveredText };
}

function rawUsage(body: Buffer, members: readonly Member[]): Buffer {
  const member = members.findLast(({ key }) => key === "usage");
  return member === undefined ? Buffer.alloc(0) : body.subarray(member.valueStart, member.end);
}

/** The same bytes, except for usage in a form other than OpenAI's. */
function bodyWithUsage(body: Buffer, members: readonly Member[], usage: unknown): Buffer {
  const reported = usageWithReasoningInside(usage);
  return reported === undefined ? body : editMembers(body, members, new Map([["usage", JSON.stringify(reported)]]));
}
