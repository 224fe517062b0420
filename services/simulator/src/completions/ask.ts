import { type Ask, reasoningWordsFor, type Tool } from "../content/plan.ts";
import type { Call } from "../http/types.ts";
import type { ChatModel } from "./flavour.ts";
import type { ChatMessage, ChatRequest } from "./schema.ts";

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

function choiceOf(request: ChatRequest): Ask["toolChoice"] {
  const choice = request.tool_choice ?? "auto";
  if (typeof choice === "string") return choice;
  return choice.type === "allowed_tools" ? choice.allowed_tools.mode : "required";
}

function formatOf(request: ChatRequest): Ask["format"] {
  const format = request.response_format;
  if (format?.type === "json_object") return { kind: "json" };
  if (format?.type === "json_schema") return { kind: "schema", schema: format.json_schema.schema ?? {} };
  return { kind: "text" };
}

/** Reads a chat request into what it asks for. `thinks` overrides whether a reasoning model reasons. */
export function askOf(call: Call, request: ChatRequest, model: ChatModel, thinks = model.efforts !== undefined): Ask {
  const said = request.messages.filter(({ role }) => role !== "system" && role !== "developer");
  const last = said.at(-1);
  const effort = request.reasoning_effort ?? model.defaultEffort;
  return {
    digest: call.digest,
    userText: last?.role === "user" ? textOf(last) : "",
    toolResults: toolResults(said),
    tools: toolsOf(request),
    toolChoice: choiceOf(request),
    parallelTools: request.parallel_tool_calls ?? true,
    format: formatOf(request),
    reasoningWords: thinks ? reasoningWordsFor(effort) : 0,
    echo: { body: call.body, headers: call.shownHeaders },
  };
}
