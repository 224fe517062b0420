import { createHash } from "node:crypto";
import type { Upstream } from "@uag/catalog/types";
import { refusal } from "../conversation/refusal.ts";
import { shortToolName } from "../conversation/tool-name.ts";
import { resultText } from "../conversation/turns.ts";
import type {
  AssistantPart,
  Conversation,
  MediaPart,
  ResultPart,
  TextPart,
  Turn,
  UserPart,
} from "../conversation/types.ts";
import type { GenerationCall } from "../generation.ts";
import { dataUrlOf } from "../media/data-url.ts";
import { inlineMedia } from "../media/inline.ts";
import { ownReasoning } from "./own-reasoning.ts";
import type { OpenAiVariant } from "./variant.ts";
import { audioByUrl } from "./vendor-messages.ts";

type Message = Record<string, unknown>;
type ContentPart = Record<string, unknown>;

export interface OpenAiContext {
  readonly call: GenerationCall;
  readonly upstream: Upstream;
  readonly signal: AbortSignal;
  readonly variant: OpenAiVariant;
}

const maxCallIdLength = 40;
/**
 * Turns as chat messages. Each tool result is a message of its own, before the user's other
 * content.
 */
export async function messagesOf({ turns, tools }: Conversation, context: OpenAiContext): Promise<Message[]> {
  const messages: Message[] = [];
  for (const turn of turns) messages.push(...(await turnMessages(turn, context, tools.length > 0)));
  return messages;
}

async function turnMessages(turn: Turn, context: OpenAiContext, hasTools: boolean): Promise<Message[]> {
  switch (turn.role) {
    case "system": {
      const content = turn.parts.map(({ text }) => text).join("\n\n");
      return content === "" ? [] : [{ role: "system", content }];
    }
    case "assistant":
      return assistantMessages(turn.parts, context, hasTools);
    case "user":
      return await userMessages(turn.parts, context);
  }
}

function assistantMessages(parts: readonly AssistantPart[], { upstream }: OpenAiContext, hasTools: boolean): Message[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const calls = parts.flatMap((part) => {
    if (part.type !== "call") return [];
    const called = { name: shortToolName(part.name), arguments: JSON.stringify(part.input) };
    return [{ id: shortCallId(part.id), type: "function", function: called }];
  });
  const thought = parts.flatMap((part) => (part.type === "thinking" ? [part.text] : [])).join("");
  const content = texts.join("");
  if (content === "" && calls.length === 0) return [];
  return [
    {
      role: "assistant",
      content: content === "" ? null : content,
      ...ownReasoning(upstream.model, { thought, content, required: hasTools || calls.length > 0 }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ];
}

async function userMessages(parts: readonly UserPart[], context: OpenAiContext): Promise<Message[]> {
  const results = parts.filter((part) => part.type === "result");
  const shown = results.flatMap(({ parts: inner }) => inner.filter((part) => part.type === "media"));
  const reported = parts.filter((part) => part.type !== "result");
  const messages = results.map(resultMessage);
  const content = await contentOf([...shown, ...reported], context);
  return content.length === 0 ? messages : [...messages, { role: "user", content }];
}

function resultMessage(result: ResultPart): Message {
  const text = resultText(result);
  return {
    role: "tool",
    tool_call_id: shortCallId(result.callId),
    content: result.isError ? `Error: ${text}` : text,
  };
}

async function contentOf(
  parts: readonly (TextPart | MediaPart)[],
  context: OpenAiContext,
): Promise<string | ContentPart[]> {
  const [only] = parts;
  if (parts.length === 1 && only?.type === "text") return only.text;
  const content: ContentPart[] = [];
  for (const part of parts) {
    if (part.type === "media") content.push(await mediaContent(part, context));
    else if (part.text !== "") content.push({ type: "text", text: part.text });
  }
  return content;
}

async function mediaContent(part: MediaPart, context: OpenAiContext): Promise<ContentPart> {
  const { call, signal } = context;
  const { kind, source, param, title } = part;
  if (kind === "image") {
    const url = source.type === "url" ? source.url : dataUrlOf(source.mediaType, source.base64);
    return { type: "image_url", image_url: { url, ...(part.detail !== undefined && { detail: part.detail }) } };
  }
  if (kind === "audio") return await audioContent(part, context);
  if (kind !== "document" || !call.model.input.has("file"))
    throw refusal(param, "This model does not accept documents.");
  // Chat accepts a file's content, not its URL.
  const { mediaType, base64 } = await inlineMedia(part, call.media, signal);
  return {
    type: "file",
    file: { filename: title ?? "document.pdf", file_data: dataUrlOf(mediaType, base64) },
  };
}

async function audioContent(part: MediaPart, { call, signal, variant }: OpenAiContext): Promise<ContentPart> {
  const { source, param } = part;
  if (!call.model.input.has("audio")) throw refusal(param, "This model does not accept audio.");
  if (variant.audioByUrl)
    return audioByUrl(source.type === "url" ? source.url : dataUrlOf(source.mediaType, source.base64));
  const { mediaType, base64 } = await inlineMedia(part, call.media, signal);
  return { type: "input_audio", input_audio: { data: base64, format: mediaType.replace(/^audio\//, "") } };
}

function shortCallId(id: string): string {
  if (id.length <= maxCallIdLength) return id;
  return `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}
