import type { Upstream } from "@uag/catalog/types";
import { type Fields, fieldsOf } from "../conversation/fields.ts";
import { messagesFormat } from "../formats/messages/format.ts";
import type { PromptCounter } from "../generation.ts";
import type { TextGeneration, UpstreamProvider } from "../provider.ts";
import { anthropicFailure } from "./errors.ts";
import { anthropicMessages, passedCall } from "./messages.ts";
import { rulesOf } from "./models.ts";
import { anthropicOwnModels } from "./own-models.ts";
import { anthropicProtocol } from "./protocol.ts";
import { sourceOf } from "./request.ts";

/** Anthropic's `count_tokens` (platform.claude.com/docs/en/api/messages-count-tokens). */
const promptCounter: PromptCounter = {
  encode: (call, upstream) => passedCall({ ...call, outputCap: undefined }, upstream, "/v1/messages/count_tokens"),
  field: "input_tokens",
  failureOf: anthropicFailure,
};

/** A Messages request as it is passed to a server of Claude. */
export const claudeCall = passedCall;

/** The source of a file in a Messages request. */
export const claudeSource = sourceOf;

/** Text generation by Anthropic's messages protocol. */
export const claudeGeneration: TextGeneration = {
  format: messagesFormat,
  adapter: anthropicMessages,
  protocol: anthropicProtocol,
};

/** Anthropic's Claude. */
export const anthropic: UpstreamProvider = {
  generation: claudeGeneration,
  ownModels: anthropicOwnModels,
  promptCounters: { messages: promptCounter },
  // https://openrouter.ai/docs/api-reference/streaming, "Stream Cancellation"
  onAbort: "stops",
  // `message_start` (https://platform.claude.com/docs/en/build-with-claude/streaming).
  reportsPromptFirst: true,
  thinksUnseen: claudeThinksUnseen,
};

/** Whether Claude thinks on a request, which no part of its response shows in full. */
export function claudeThinksUnseen(fields: Fields, upstream: Upstream): boolean {
  const { type } = fieldsOf(fields["thinking"]);
  const effort = fields["reasoning_effort"] ?? fieldsOf(fields["reasoning"])["effort"];
  const { thinkingConfig } = fieldsOf(fields["generationConfig"]);
  const requested = thinkingConfig != null || (type !== undefined && type !== "disabled") || effort != null;
  return requested || rulesOf(upstream.model).alwaysThinks;
}
