import type { Upstream } from "@uag/catalog/types";
import { encodeJson } from "@uag/untrusted/json/encode";
import { plainCallId } from "../conversation/call-id.ts";
import { refusal } from "../conversation/refusal.ts";
import { alternatingTurns, type SpokenTurn, systemParts } from "../conversation/turns.ts";
import type { AssistantPart, Conversation, MediaPart, ResultPart, TextPart, UserPart } from "../conversation/types.ts";
import type { GenerationCall, UpstreamCall } from "../generation.ts";
import { isForeignSignature } from "./foreign-thinking.ts";
import { anthropicHeaders } from "./headers.ts";
import { rulesOf } from "./models.ts";
import { closedSchema } from "./schema.ts";
import { chooseThinking, samplingFields } from "./settings.ts";
import { toolFields } from "./tools.ts";

type Block = Record<string, unknown>;
interface Message {
  role: "user" | "assistant";
  content: Block[];
}

const jsonOnly = "Respond with one JSON object only, without surrounding text or a code fence.";

/** Encodes a conversation for Anthropic. */
export async function encodeForAnthropic(
  conversation: Conversation,
  call: GenerationCall,
  upstream: Upstream,
): Promise<UpstreamCall> {
  if (conversation.candidates > 1) throw refusal("n", "This model supports only one choice.");
  const messages = messagesOf(conversation);
  const maxTokens = Math.min(conversation.outputCap ?? call.model.maxOutputTokens, call.model.maxOutputTokens);
  const rules = rulesOf(upstream.model);
  const tools = toolFields(conversation, rules);
  const chosen = chooseThinking({ conversation, rules, maxTokens, messages, forced: tools.forced });
  const body = {
    model: upstream.model,
    max_tokens: maxTokens,
    messages,
    ...systemField(conversation),
    ...(call.stream && { stream: true }),
    ...stopField(conversation.stop),
    ...tools.fields,
    ...samplingFields(conversation, { rules, thinks: chosen.thinks }),
    ...(chosen.thinking !== undefined && { thinking: chosen.thinking }),
    ...outputConfig(conversation, chosen.effort),
    ...(conversation.user !== undefined && { metadata: { user_id: conversation.user.slice(0, 256) } }),
  };
  return {
    path: "/v1/messages",
    headers: anthropicHeaders(upstream.provider, call.requestId, []),
    body: await encodeJson(body),
  };
}

function messagesOf(conversation: Conversation): Message[] {
  const messages = alternatingTurns(conversation)
    .map(messageOf)
    .filter(({ content }) => content.length > 0);
  // A conversation must begin with a user turn, even if the client omitted it.
  if (messages[0]?.role !== "user") messages.unshift({ role: "user", content: [{ type: "text", text: "." }] });
  const last = messages.at(-1);
  const final = last?.role === "assistant" ? last.content.at(-1) : undefined;
  if (final?.["type"] === "text") final["text"] = String(final["text"]).trimEnd() || ".";
  return messages;
}

function messageOf(turn: SpokenTurn): Message {
  const parts: readonly (UserPart | AssistantPart)[] = turn.parts;
  // Thinking without a Claude signature is rejected.
  const kept = parts.filter((part) => part.type !== "thinking" || !isForeignSignature(part.signature));
  return { role: turn.role, content: kept.map(blockOf) };
}

function blockOf(part: UserPart | AssistantPart): Block {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text, ...cached(part) };
    case "media":
      return mediaBlock(part);
    case "result":
      return resultBlock(part);
    case "thinking":
      return { type: "thinking", thinking: part.text, signature: part.signature };
    case "redacted":
      return { type: "redacted_thinking", data: part.data };
    case "call":
      return { type: "tool_use", id: plainCallId(part.id), name: part.name, input: part.input };
  }
}

function mediaBlock(part: MediaPart): Block {
  return { type: part.kind, source: sourceOf(part), ...titled(part), ...cached(part) };
}

/** The source of an image or a document. @throws {UpstreamFailure} `client` for any other media */
export function sourceOf({ kind, source, param }: Pick<MediaPart, "kind" | "source" | "param">): Block {
  if (kind === "audio" || kind === "video") throw refusal(param, `This model does not accept ${kind}.`);
  if (source.type === "url") return { type: "url", url: source.url };
  if (kind === "image" || source.mediaType === "application/pdf")
    return { type: "base64", media_type: source.mediaType, data: source.base64 };
  if (!source.mediaType.startsWith("text/")) throw refusal(param, "This model accepts only PDF and text files.");
  return { type: "text", media_type: "text/plain", data: Buffer.from(source.base64, "base64").toString("utf8") };
}

function resultBlock(part: ResultPart): Block {
  const content = part.parts.filter((inner) => inner.type !== "text" || inner.text !== "").map(blockOf);
  return {
    type: "tool_result",
    tool_use_id: plainCallId(part.callId),
    ...(content.length > 0 && { content }),
    ...(part.isError && { is_error: true }),
  };
}

function titled(part: MediaPart): Block {
  return part.kind === "document" && part.title !== undefined ? { title: part.title } : {};
}

function cached(part: TextPart | MediaPart): Block {
  return part.cacheControl == null ? {} : { cache_control: part.cacheControl };
}

function systemField(conversation: Conversation): Block {
  const system = systemParts(conversation).map(blockOf);
  if (conversation.format.kind === "json") system.push({ type: "text", text: jsonOnly });
  return system.length === 0 ? {} : { system };
}

function stopField(stop: readonly string[]): Block {
  const sequences = stop.filter((text) => text.trim() !== "");
  return sequences.length === 0 ? {} : { stop_sequences: sequences };
}

function outputConfig(conversation: Conversation, effort: string | undefined): Block {
  const { format } = conversation;
  const config = {
    ...(effort !== undefined && { effort }),
    ...(format.kind === "schema" && { format: { type: "json_schema", schema: closedSchema(format.schema) } }),
  };
  return Object.keys(config).length === 0 ? {} : { output_config: config };
}
