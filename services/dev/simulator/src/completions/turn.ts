import { toolTurnsOf, withoutReminders } from "../content/conversation.ts";
import { reasoningTokensFor } from "../content/plan.ts";
import type { Seen, Tool, Turn } from "../content/turn.ts";
import type { Call } from "../http/types.ts";
import type { ChatFlavour, ChatModel } from "./flavour.ts";
import type { ChatMessage, ChatRequest } from "./schema.ts";

export interface CallOptions {
  readonly model: ChatModel;
  readonly flavour: Pick<ChatFlavour, "protocol">;
  readonly thinks?: boolean | undefined;
}

function textOf(message: ChatMessage): string {
  if (typeof message.content === "string") return message.content;
  const parts = message.content ?? [];
  return parts
    .map((part) => (part.type === "text" ? part.text : ""))
    .filter(Boolean)
    .join("\n");
}

function toolResults(messages: readonly ChatMessage[]): string[] {
  const results: string[] = [];
  for (const message of messages.toReversed()) {
    if (message.role !== "tool" && message.role !== "function") break;
    results.unshift(textOf(message));
  }
  return results;
}

function toolsOf(request: ChatRequest): Tool[] {
  const all = (request.tools ?? []).map((tool) =>
    tool.type === "function"
      ? { name: tool.function.name, schema: tool.function.parameters ?? undefined }
      : { name: tool.custom.name, schema: { type: "object", properties: { input: { type: "string" } } } },
  );
  const choice = request.tool_choice;
  if (typeof choice !== "object") return all;
  if (choice.type === "function") return all.filter((tool) => tool.name === choice.function.name);
  if (choice.type === "custom") return all.filter((tool) => tool.name === choice.custom.name);
  const allowed = new Set(choice.allowed_tools.tools.map((tool) => nameOf(tool)));
  return all.filter((tool) => allowed.has(tool.name));
}

function nameOf(tool: { [field: string]: unknown }): unknown {
  const named = tool["function"] ?? tool["custom"] ?? tool;
  return typeof named === "object" && named !== null && "name" in named ? named.name : undefined;
}

function choiceOf(request: ChatRequest): Turn["toolChoice"] {
  const choice = request.tool_choice ?? "auto";
  if (typeof choice === "string") return choice;
  return choice.type === "allowed_tools" ? choice.allowed_tools.mode : "required";
}

function formatOf(request: ChatRequest): Turn["format"] {
  const format = request.response_format;
  if (format?.type === "json_object") return { kind: "json" };
  if (format?.type === "json_schema") return { kind: "schema", schema: format.json_schema.schema ?? {} };
  return { kind: "text" };
}

function seenIn({ content }: ChatMessage): Seen {
  const parts: readonly { type: string }[] = typeof content === "string" ? [] : (content ?? []);
  const count = (...types: string[]): number => parts.filter(({ type }) => types.includes(type)).length;
  return {
    images: count("image_url"),
    sounds: count("input_audio"),
    videos: count("video_url", "video"),
    files: count("file"),
  };
}

const isInstruction = ({ role }: ChatMessage): boolean => role === "system" || role === "developer";
const nothing: Seen = { images: 0, sounds: 0, videos: 0, files: 0 };

/** Converts a chat request to a turn. `thinks` overrides whether a reasoning model reasons. */
export function turnOf(
  call: Call,
  request: ChatRequest,
  { model, flavour, thinks = model.efforts !== undefined }: CallOptions,
): Turn {
  const reported = request.messages.filter((message) => !isInstruction(message));
  const last = reported.at(-1);
  const byUser = last?.role === "user" ? last : undefined;
  const effort = request.reasoning_effort ?? model.defaultEffort;
  return {
    digest: call.digest,
    provider: flavour.protocol.provider,
    model: model.id,
    userText: byUser === undefined ? "" : withoutReminders(textOf(byUser)),
    seen: byUser === undefined ? nothing : seenIn(byUser),
    system: reported.length < request.messages.length,
    toolTurns: toolTurnsOf(
      reported.map((message) => ({
        byModel: message.role === "assistant",
        callsTools: message.role === "assistant" && message.tool_calls !== undefined,
      })),
    ),
    toolResults: toolResults(reported),
    tools: toolsOf(request),
    toolChoice: choiceOf(request),
    parallelTools: request.parallel_tool_calls ?? true,
    format: formatOf(request),
    reasoningTokens: thinks ? reasoningTokensFor(effort) : 0,
    echo: { body: call.body, headers: call.shownHeaders },
  };
}
