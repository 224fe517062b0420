import assert from "node:assert/strict";
import type { ConversationFormat } from "../formats.ts";
import type { Finish, Json, Part } from "./case.ts";

/** A response as a client sees it, and the messages or items that repeat it in the next request. */
export interface View {
  readonly parts: readonly Part[];
  readonly finish: Finish | string;
  readonly turn: readonly Json[];
  readonly callIds: readonly string[];
}

type Objects = readonly Json[];
const list = (value: unknown): Objects => (Array.isArray(value) ? (value as Objects) : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Joins neighbours of one kind and drops empty ones, as a reader of the text would. */
function joined(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part.type !== "call" && part.text === "") continue;
    if (part.type !== "call" && last?.type === part.type)
      result[result.length - 1] = { ...last, text: last.text + part.text } as Part;
    else result.push(part);
  }
  return result;
}

const chatFinishes: Readonly<Record<string, Finish>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tools",
  content_filter: "refusal",
};

/** A chat completion. Its message has no order between text, reasoning and calls. */
export function viewOfCompletion(body: Json): View {
  const [choice] = list(body["choices"]);
  const message = choice?.["message"] as Json;
  const calls = list(message["tool_calls"]);
  return {
    parts: joined([
      { type: "thinking", text: text(message["reasoning_content"] ?? message["reasoning"]) },
      ...partsOfContent(message["content"]),
      { type: "text", text: text(message["refusal"]) },
      ...calls.map((call): Part => {
        const { name, arguments: input } = call["function"] as { name: string; arguments: string };
        return { type: "call", name, input: JSON.parse(input) as Json };
      }),
    ]),
    finish: chatFinishes[text(choice?.["finish_reason"])] ?? text(choice?.["finish_reason"]),
    turn: [message],
    callIds: calls.map(({ id }) => text(id)),
  };
}

/** Mistral's content is a list where the model reasons. */
function partsOfContent(content: unknown): Part[] {
  if (!Array.isArray(content)) return [{ type: "text", text: text(content) }];
  return list(content).flatMap((part): Part[] => {
    if (part["type"] === "text") return [{ type: "text", text: text(part["text"]) }];
    return list(part["thinking"]).map((thought): Part => ({ type: "thinking", text: text(thought["text"]) }));
  });
}

/** The message that the chunks of a stream add up to, in the way of OpenAI's SDKs. */
export function completionOf(chunks: Objects): Json {
  const message: Record<string, unknown> = {};
  let finish: unknown;
  for (const { delta, finish_reason } of chunks.flatMap(({ choices }) => list(choices))) {
    merge(message, delta as Json);
    finish = finish_reason ?? finish;
  }
  return { choices: [{ message, finish_reason: finish }] };
}

function merge(into: Record<string, unknown>, delta: Json): void {
  for (const [name, value] of Object.entries(delta)) {
    const before = into[name];
    if (typeof before === "string" && typeof value === "string" && !["id", "type", "role", "name"].includes(name))
      into[name] = before + value;
    else if (name === "tool_calls") into[name] = mergeCalls(list(before), list(value));
    else if (Array.isArray(before) && Array.isArray(value)) into[name] = [...before, ...value];
    else if (isObject(before) && isObject(value)) merge(before, value);
    else if (value !== null || before === undefined) into[name] = value;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function mergeCalls(before: Objects, pieces: Objects): Objects {
  const calls = before.map((call) => structuredClone(call) as Record<string, unknown>);
  for (const { index, ...piece } of pieces) {
    const at = index as number;
    calls[at] ??= {};
    merge(calls[at] as Record<string, unknown>, piece);
  }
  return calls;
}

const messageFinishes: Readonly<Record<string, Finish>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tools",
  refusal: "refusal",
  pause_turn: "pause",
};

/** A message of Anthropic's format. */
export function viewOfMessage(body: Json): View {
  const blocks = list(body["content"]);
  return {
    parts: joined(blocks.flatMap(partOfBlock)),
    finish: messageFinishes[text(body["stop_reason"])] ?? text(body["stop_reason"]),
    turn: [{ role: "assistant", content: blocks }],
    callIds: blocks.filter(({ type }) => type === "tool_use").map(({ id }) => text(id)),
  };
}

function partOfBlock(block: Json): Part[] {
  if (block["type"] === "text") return [{ type: "text", text: text(block["text"]) }];
  if (block["type"] === "thinking") return [{ type: "thinking", text: text(block["thinking"]) }];
  if (block["type"] === "tool_use") return [{ type: "call", name: text(block["name"]), input: block["input"] as Json }];
  return [];
}

/** The message that a stream's events add up to, in the way of Anthropic's SDKs. */
export function messageOf(events: Objects): Json {
  const blocks: Record<string, unknown>[] = [];
  let stopReason: unknown;
  for (const event of events) {
    const block = blocks.at(-1);
    if (event["type"] === "content_block_start") blocks.push({ ...(event["content_block"] as Json) });
    else if (event["type"] === "content_block_delta" && block !== undefined) addDelta(block, event["delta"] as Json);
    else if (event["type"] === "content_block_stop" && block !== undefined) closeBlock(block);
    else if (event["type"] === "message_delta") stopReason = (event["delta"] as Json)["stop_reason"];
  }
  assert.equal(events.at(-1)?.["type"], "message_stop");
  return { content: blocks, stop_reason: stopReason };
}

function addDelta(block: Record<string, unknown>, { type: _, partial_json: json, ...delta }: Json): void {
  for (const [name, value] of Object.entries(delta)) block[name] = text(block[name]) + text(value);
  if (json !== undefined) block["json"] = text(block["json"]) + text(json);
}

function closeBlock(block: Record<string, unknown>): void {
  const { json } = block;
  delete block["json"];
  if (json !== undefined && json !== "") block["input"] = JSON.parse(text(json));
}

/** A response of OpenAI's Responses format. */
export function viewOfResponse(body: Json): View {
  const items = list(body["output"]);
  const calls = items.filter(({ type }) => type === "function_call");
  const incomplete = text((body["incomplete_details"] as Json | null)?.["reason"]);
  return {
    parts: joined(items.flatMap(partsOfItem)),
    finish: responseFinish(incomplete, calls.length),
    turn: items,
    callIds: calls.map(({ call_id }) => text(call_id)),
  };
}

function responseFinish(incomplete: string, calls: number): Finish | string {
  if (incomplete === "max_output_tokens") return "length";
  if (incomplete === "content_filter") return "refusal";
  return incomplete || (calls > 0 ? "tools" : "stop");
}

function partsOfItem(item: Json): Part[] {
  if (item["type"] === "reasoning")
    return list(item["summary"]).map((part): Part => ({ type: "thinking", text: text(part["text"]) }));
  if (item["type"] === "function_call")
    return [{ type: "call", name: text(item["name"]), input: JSON.parse(text(item["arguments"])) as Json }];
  return list(item["content"]).map(
    (part): Part => ({ type: "text", text: text(part["text"]) + text(part["refusal"]) }),
  );
}

/** The response that a stream's last event carries. */
export const responseOf = (events: Objects): Json => events.at(-1)?.["response"] as Json;

const generatedFinishes: Readonly<Record<string, Finish>> = {
  MAX_TOKENS: "length",
  MODEL_ARMOR: "refusal",
  SAFETY: "refusal",
};

/** A response of Gemini's format. */
export function viewOfGenerated(body: Json): View {
  const [candidate] = list(body["candidates"]);
  const parts = list((candidate?.["content"] as Json | undefined)?.["parts"]);
  const calls = parts.flatMap(({ functionCall }) => (isObject(functionCall) ? [functionCall] : []));
  const reason = text(candidate?.["finishReason"]);
  return {
    parts: joined(parts.flatMap(partOfGenerated)),
    finish: reason === "STOP" ? (calls.length > 0 ? "tools" : "stop") : (generatedFinishes[reason] ?? reason),
    turn: [{ role: "model", parts }],
    callIds: calls.map(({ id }) => text(id)),
  };
}

function partOfGenerated({ functionCall: call, text: spoken, thought }: Json): Part[] {
  if (isObject(call)) return [{ type: "call", name: text(call["name"]), input: call["args"] as Json }];
  return [{ type: thought === true ? "thinking" : "text", text: text(spoken) }];
}

/** The response that a stream's responses add up to. */
export function generatedOf(events: Objects): Json {
  const candidates = events.flatMap((event) => list(event["candidates"]));
  const parts = candidates.flatMap(({ content }) => list((content as Json | undefined)?.["parts"]));
  return { candidates: [{ content: { parts }, finishReason: candidates.at(-1)?.["finishReason"] }] };
}

const tool = { name: "weather", parameters: { type: "object", properties: {} } };

/** The request that continues a conversation with a response, and with a result for each call. */
export const nextRequests: Readonly<Record<ConversationFormat, (view: View) => Json>> = {
  "chat.completions": ({ turn, callIds }) => ({
    messages: [
      { role: "user", content: "Continue." },
      ...turn,
      ...callIds.map((id) => ({ role: "tool", tool_call_id: id, content: "done" })),
      ...(callIds.length === 0 ? [{ role: "user", content: "More." }] : []),
    ],
    tools: [{ type: "function", function: tool }],
  }),
  messages: ({ turn, callIds }) => ({
    max_tokens: 4_096,
    messages: [
      { role: "user", content: "Continue." },
      ...turn,
      {
        role: "user",
        content:
          callIds.length === 0
            ? "More."
            : callIds.map((id) => ({ type: "tool_result", tool_use_id: id, content: "done" })),
      },
    ],
    tools: [{ name: tool.name, input_schema: tool.parameters }],
  }),
  responses: ({ turn, callIds }) => ({
    input: [
      { role: "user", content: "Continue." },
      ...turn,
      ...callIds.map((id) => ({ type: "function_call_output", call_id: id, output: "done" })),
      ...(callIds.length === 0 ? [{ role: "user", content: "More." }] : []),
    ],
    tools: [{ type: "function", ...tool }],
  }),
  generate_content: ({ turn, callIds }) => ({
    contents: [
      { role: "user", parts: [{ text: "Continue." }] },
      ...turn,
      {
        role: "user",
        parts:
          callIds.length === 0
            ? [{ text: "More." }]
            : callIds.map((id) => ({ functionResponse: { id, name: tool.name, response: { output: "done" } } })),
      },
    ],
    tools: [{ functionDeclarations: [{ name: tool.name, parametersJsonSchema: tool.parameters }] }],
  }),
};
