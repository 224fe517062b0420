import { openCallId } from "../../conversation/call-id.ts";
import { type Fields, fieldsOf, isFields, listOf, parsedJson, textOf } from "../../conversation/fields.ts";
import { refusal } from "../../conversation/refusal.ts";
import { openThinking } from "../../conversation/sealed-thinking.ts";
import { textOrRefusal, textParts } from "../../conversation/text-parts.ts";
import type { AssistantPart, CallPart, ResultPart, Turn } from "../../conversation/types.ts";
import { readContent } from "./parts.ts";
import { reasoningPrefix } from "./reasoning-item.ts";
import { customInput, flatToolName } from "./tools.ts";

/**
 * Input items as turns. An assistant's items in a row are one turn, since its calls are items
 * beside its messages; so are results in a row.
 */
export function readItems(input: unknown): Turn[] {
  if (typeof input === "string") return [{ role: "user", parts: [{ type: "text", text: input }] }];
  const names = new Map<string, string>();
  const turns: Turn[] = [];
  for (const [index, item] of listOf(input).entries()) {
    const turn = readItem(fieldsOf(item), `input[${index}]`, names);
    const last = turns.at(-1);
    if (joins(last, turn)) turns[turns.length - 1] = { ...last, parts: [...last.parts, ...turn.parts] } as Turn;
    else turns.push(turn);
  }
  return turns;
}

const isResult = ({ role, parts }: Turn): boolean => role === "user" && parts.every(({ type }) => type === "result");

function joins(last: Turn | undefined, turn: Turn): last is Turn {
  if (last?.role !== turn.role) return false;
  return turn.role === "assistant" || (isResult(last) && isResult(turn));
}

function readItem(item: Fields, param: string, names: Map<string, string>): Turn {
  switch (item["type"]) {
    case undefined:
    case null:
    case "message":
      return readMessage(item, param);
    case "reasoning":
      return { role: "assistant", parts: readReasoning(item) };
    case "function_call":
    case "custom_tool_call": {
      const call = readCall(item, param);
      names.set(textOf(item["call_id"]) ?? "", call.name);
      return { role: "assistant", parts: [call] };
    }
    case "function_call_output":
    case "custom_tool_call_output":
      return { role: "user", parts: [readResult(item, param, names)] };
    case "tool_search_call":
    case "tool_search_output":
      // The tools found are among the request's tools.
      return { role: "assistant", parts: [] };
    case "item_reference": {
      // Clients refer to reasoning of their own accord, and do without it elsewhere.
      if (textOf(item["id"])?.startsWith(`${reasoningPrefix}_`)) return { role: "assistant", parts: [] };
      throw refusal(param, "the gateway stores no items. Send the item itself, as clients do when store is false.");
    }
    default: {
      const type = String(item["type"]).slice(0, 60);
      throw refusal(`${param}.type`, `Items of type '${type}' are not available here.`);
    }
  }
}

function readMessage({ role, content }: Fields, param: string): Turn {
  switch (role) {
    case "system":
    case "developer":
      return { role: "system", parts: textParts(content, textOrRefusal) };
    case "assistant":
      return { role, parts: textParts(content, textOrRefusal) };
    default:
      return { role: "user", parts: readContent(content, `${param}.content`) };
  }
}

/** Clients may send back the summary alone, which is the whole text at providers that show it. */
function readReasoning({ encrypted_content: sealed, summary }: Fields): AssistantPart[] {
  const opened = openThinking(sealed);
  if (opened.length > 0) return opened;
  const text = textParts(summary)
    .map((part) => part.text)
    .join("\n\n");
  return text === "" ? [] : [{ type: "thinking", text, signature: "" }];
}

function readCall(item: Fields, param: string): CallPart {
  const { id, signature } = openCallId(textOf(item["call_id"]) ?? "");
  const own = textOf(item["name"]) ?? "";
  const namespace = textOf(item["namespace"]);
  // OpenAI names a function that it found by tool search as its own namespace.
  const name = flatToolName(own, namespace === own ? undefined : namespace);
  if (item["type"] === "custom_tool_call") {
    return { type: "call", id, name, input: customInput(textOf(item["input"]) ?? ""), signature };
  }
  const text = textOf(item["arguments"]) ?? "";
  const input = text.trim() === "" ? {} : parsedJson(text);
  if (!isFields(input)) throw refusal(`${param}.arguments`, "must be a JSON object", "invalid_value");
  return { type: "call", id, name, input, signature };
}

function readResult(item: Fields, param: string, names: ReadonlyMap<string, string>): ResultPart {
  const sent = textOf(item["call_id"]) ?? "";
  const parts = readContent(item["output"], `${param}.output`);
  return { type: "result", callId: openCallId(sent).id, name: names.get(sent) ?? sent, parts, isError: false };
}
