import type { Upstream } from "@uag/catalog/types";
import { isFields, parsedJson } from "../conversation/fields.ts";
import { UpstreamFailure } from "../failure.ts";
import { cappedTools } from "../formats/messages/server-tools.ts";
import type { GenerationAdapter, GenerationCall, UnaryResponse, UpstreamCall } from "../generation.ts";
import { editMembers, topLevelMembers } from "../json-edit.ts";
import { collectedMessage } from "./collect.ts";
import { anthropicErrorInside, anthropicFailure } from "./errors.ts";
import { withoutForeignThinking } from "./foreign-thinking.ts";
import { anthropicHeaders, versionIn } from "./headers.ts";
import { rulesOf } from "./models.ts";
import { replayedMessage } from "./replay.ts";
import { AnthropicStream } from "./stream.ts";
import { messageText } from "./text.ts";
import { AnthropicUsage, anthropicUsageIn } from "./usage.ts";

/**
 * Anthropic's messages format for an upstream that uses it: bytes pass through in both directions.
 */
export const anthropicMessages: GenerationAdapter = {
  encode: (call, upstream) => passedCall(call, upstream, "/v1/messages"),
  decode: (body, _call, upstream) => decodeMessage(body, upstream),
  collect: async (body, _call, upstream) => decodeMessage(await collectedMessage(body, upstream), upstream),
  replay: (body, _call, upstream) => replayedMessage(decodeMessage(body, upstream)),
  usageIn: anthropicUsageIn,
  openStream: (_call, upstream) => new AnthropicStream(upstream),
  failureOf: anthropicFailure,
};

/** The client's bytes, with only the changes this upstream requires. */
export function passedCall(
  call: Pick<GenerationCall, "requestId" | "body" | "fields" | "headers" | "outputCap" | "maxUses">,
  upstream: Upstream,
  path: string,
): UpstreamCall {
  const foreign = withoutForeignThinking(call.body, call.fields);
  const edits = new Map<string, string | Buffer | undefined>(foreign);
  if (upstream.model !== call.fields["model"]) edits.set("model", JSON.stringify(upstream.model));
  if (call.outputCap !== undefined) edits.set("max_tokens", String(call.outputCap));
  const tools = cappedTools(call.fields["tools"], call.maxUses);
  if (tools !== undefined) edits.set("tools", JSON.stringify(tools));
  // Settings without effect must not cause errors: SDKs send sampling values to models that no
  // longer accept any.
  const version = versionIn(call.headers);
  if (rulesOf(upstream.model).fixedSampling || (version !== undefined && version >= "2026-10-21")) {
    for (const name of ["temperature", "top_p", "top_k"]) edits.set(name, undefined);
  }
  return {
    path,
    headers: anthropicHeaders(upstream.provider, call.requestId, call.headers),
    body: editMembers(call.body, topLevelMembers(call.body), edits),
  };
}

function decodeMessage(body: Buffer, upstream: Upstream): UnaryResponse {
  const text = body.toString("utf8");
  const failure = anthropicErrorInside(text, upstream);
  if (failure !== undefined) throw failure;
  const value = parsedJson(text);
  if (!isFields(value) || !Array.isArray(value["content"])) {
    throw new UpstreamFailure("transient", "the upstream's response is not a message", { status: 200 });
  }
  const usage = new AnthropicUsage(upstream.model);
  usage.complete(value["usage"]);
  return { body, usage: usage.report, deliveredText: () => messageText(value) };
}
