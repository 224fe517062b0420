import type { OpenAiChatRequest } from "../completions/schema.ts";
import { countTokens } from "../content/tokens.ts";
import type { InputItem, ResponsesRequest } from "./schema.ts";
import { openReasoning } from "./sealed.ts";

type ChatMessage = OpenAiChatRequest["messages"][number];
type Content = Extract<InputItem, { content: unknown }>["content"];
type Assistant = Extract<ChatMessage, { role: "assistant" }>;
type ToolCall = NonNullable<Assistant["tool_calls"]>[number];
type Tools = NonNullable<ResponsesRequest["tools"]>;

/**
 * A Responses request as a chat request, so that both are planned, counted and checked alike. What
 * only the Responses API has is left out.
 */
export function asChat(request: ResponsesRequest): OpenAiChatRequest {
  const tools = clientTools(request.tools ?? []);
  const { text, reasoning, instructions } = request;
  const format = text?.format;
  return {
    model: request.model,
    messages: [
      ...(instructions == null ? [] : [{ role: "system" as const, content: instructions }]),
      ...messagesOf(request.input),
    ],
    stream: request.stream,
    temperature: request.temperature,
    top_p: request.top_p,
    max_completion_tokens: request.max_output_tokens,
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 && request.tool_choice != null && { tool_choice: choiceOf(request.tool_choice) }),
    ...(tools.length > 0 &&
      request.parallel_tool_calls != null && { parallel_tool_calls: request.parallel_tool_calls }),
    ...(format?.type === "json_object" && { response_format: { type: "json_object" as const } }),
    ...(format?.type === "json_schema" && {
      response_format: {
        type: "json_schema" as const,
        json_schema: { name: format.name, schema: format.schema, strict: format.strict ?? false },
      },
    }),
    reasoning_effort: reasoning?.effort,
    metadata: request.metadata,
  };
}

/** Tokens of the reasoning that a request returns. */
export function reasoningIn({ input }: ResponsesRequest): number {
  if (typeof input === "string") return 0;
  return input.reduce((sum, item) => {
    if (item.type !== "reasoning") return sum;
    return sum + countTokens(openReasoning(item.encrypted_content ?? "") ?? "");
  }, 0);
}

function messagesOf(input: ResponsesRequest["input"]): ChatMessage[] {
  if (typeof input === "string") return [{ role: "user", content: input }];
  const messages: ChatMessage[] = [];
  for (const item of input) {
    const next = messageOf(item);
    const last = messages.at(-1);
    if (next === undefined) continue;
    if (next.role === "assistant" && last?.role === "assistant") messages[messages.length - 1] = joined(last, next);
    else messages.push(next);
  }
  return messages;
}

/** A model's items in a row are one turn. */
function joined(last: Assistant, next: Assistant): Assistant {
  const calls = [...(last.tool_calls ?? []), ...(next.tool_calls ?? [])];
  const content = [last.content, next.content].filter((each) => each != null && each !== "").join("\n");
  return {
    role: "assistant",
    content: content === "" ? null : content,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function messageOf(item: InputItem): ChatMessage | undefined {
  switch (item.type) {
    case undefined:
    case null:
    case "message":
      return item.role === "user"
        ? { role: "user", content: partsOf(item.content) }
        : { role: item.role, content: textOf(item.content) };
    case "function_call":
      return called({
        id: item.call_id,
        type: "function",
        function: { name: item.name, arguments: item.arguments },
      });
    case "custom_tool_call":
      return called({ id: item.call_id, type: "custom", custom: { name: item.name, input: item.input } });
    case "function_call_output":
    case "custom_tool_call_output":
      return { role: "tool", tool_call_id: item.call_id, content: textOf(item.output) };
    default:
      return undefined;
  }
}

const called = (call: ToolCall): Assistant => ({ role: "assistant", content: null, tool_calls: [call] });

function textOf(content: Content): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => ("text" in part ? String(part.text) : "refusal" in part ? String(part.refusal) : ""))
    .filter(Boolean)
    .join("\n");
}

function partsOf(content: Content): Extract<ChatMessage, { role: "user" }>["content"] {
  if (typeof content === "string") return content;
  return content.map((part) => {
    if (part.type === "input_image")
      return { type: "image_url", image_url: { url: part.image_url ?? "", detail: part.detail ?? undefined } };
    if (part.type === "input_file")
      return { type: "file", file: { file_data: part.file_data ?? undefined, filename: part.filename ?? undefined } };
    return { type: "text", text: part.type === "refusal" ? part.refusal : part.text };
  });
}

/** The tools that the client runs and that have a schema. */
function clientTools(tools: Tools): NonNullable<OpenAiChatRequest["tools"]> {
  return tools.flatMap((tool) => {
    if (tool.type === "namespace") return clientTools(tool.tools as Tools);
    if (tool.type === "custom") return [{ type: "custom" as const, custom: { name: tool.name } }];
    if (tool.type !== "function") return [];
    const { name, description, parameters } = tool;
    return [{ type: "function" as const, function: { name, description: description ?? undefined, parameters } }];
  });
}

function choiceOf(choice: NonNullable<ResponsesRequest["tool_choice"]>): OpenAiChatRequest["tool_choice"] {
  if (typeof choice === "string") return choice;
  if (choice.type === "allowed_tools") {
    const { mode, tools } = choice as Extract<typeof choice, { mode: unknown }>;
    return { type: "allowed_tools", allowed_tools: { mode, tools } };
  }
  const { name } = choice as { name?: string };
  if (name === undefined) return "auto";
  return choice.type === "custom" ? { type: "custom", custom: { name } } : { type: "function", function: { name } };
}
