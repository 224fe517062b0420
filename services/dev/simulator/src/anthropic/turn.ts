import { toolTurnsOf, withoutReminders } from "../content/conversation.ts";
import { reasoningTokensFor } from "../content/plan.ts";
import type { Seen, Tool, Turn } from "../content/turn.ts";
import type { Call } from "../http/types.ts";
import { type AnthropicModel, thinks } from "./models.ts";
import type { MessageBlock, MessagesRequest } from "./schema.ts";

type Message = MessagesRequest["messages"][number];

function textIn({ content }: Message): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function resultText(block: MessageBlock): string[] {
  if (block.type !== "tool_result") return [];
  if (block.content === undefined || typeof block.content === "string") return [block.content ?? ""];
  return [block.content.map((item) => (typeof item["text"] === "string" ? item["text"] : "")).join("")];
}

function toolsOf(request: MessagesRequest): Tool[] {
  const tools = (request.tools ?? []).flatMap((tool) =>
    "input_schema" in tool && typeof tool["name"] === "string"
      ? [{ name: tool["name"], schema: tool["input_schema"] }]
      : [],
  );
  const choice = request.tool_choice;
  return choice?.type === "tool" ? tools.filter((tool) => tool.name === choice.name) : tools;
}

function reasoningTokens({ thinking, output_config: config }: MessagesRequest, model: AnthropicModel): number {
  if (!thinks(thinking, model)) return 0;
  const tokens = reasoningTokensFor(config?.effort ?? undefined);
  return thinking?.type === "enabled" ? Math.min(tokens, thinking.budget_tokens) : tokens;
}

/** Whether the model is instructed to respond only in JSON, which it then does. */
function requestsJson({ system }: MessagesRequest): boolean {
  const texts = typeof system === "string" ? [system] : (system ?? []).map(({ text }) => text);
  return texts.some((text) => /\bJSON\b/i.test(text) && /\b(only|nothing else|no other)\b/i.test(text));
}

const blocksOf = ({ content }: Message): readonly MessageBlock[] => (typeof content === "string" ? [] : content);

function seenIn(message: Message | undefined): Seen {
  const blocks = message === undefined ? [] : blocksOf(message);
  const count = (type: MessageBlock["type"]): number => blocks.filter((block) => block.type === type).length;
  return { images: count("image"), sounds: 0, videos: 0, files: count("document") };
}

/** Converts a messages request to a turn. */
export function turnOf(call: Call, request: MessagesRequest, model: AnthropicModel): Turn {
  // Instructions may follow the user's last message.
  const last = request.messages.findLast(({ role }) => role !== "system");
  const byUser = last?.role === "user" ? last : undefined;
  const format = request.output_config?.format;
  const choice = request.tool_choice;
  return {
    digest: call.digest,
    provider: "anthropic",
    model: model.id,
    userText: byUser === undefined ? "" : withoutReminders(textIn(byUser)),
    seen: seenIn(byUser),
    system: request.system !== undefined,
    toolTurns: toolTurnsOf(
      request.messages.map((message) => ({
        byModel: message.role === "assistant",
        callsTools: blocksOf(message).some(({ type }) => type === "tool_use"),
      })),
    ),
    toolResults: last === undefined ? [] : blocksOf(last).flatMap(resultText),
    tools: toolsOf(request),
    toolChoice: choice?.type === "any" || choice?.type === "tool" ? "required" : (choice?.type ?? "auto"),
    parallelTools: !(choice && "disable_parallel_tool_use" in choice && choice.disable_parallel_tool_use),
    format: format ? { kind: "schema", schema: format.schema } : { kind: requestsJson(request) ? "json" : "text" },
    reasoningTokens: reasoningTokens(request, model),
    echo: { body: call.body, headers: call.shownHeaders },
  };
}
