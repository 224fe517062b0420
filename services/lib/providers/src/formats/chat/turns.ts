import { openCallId } from "../../conversation/call-id.ts";
import { type Fields, fieldsOf, isFields, listOf, parsedJson, textOf } from "../../conversation/fields.ts";
import { markedSignature } from "../../conversation/gemini-signature.ts";
import { refusal } from "../../conversation/refusal.ts";
import { type ReadTextPart, textOrRefusal, textParts } from "../../conversation/text-parts.ts";
import type { AssistantPart, CallPart, Turn } from "../../conversation/types.ts";
import { googleSignature } from "./extra.ts";
import { readParts } from "./parts.ts";
import { textAndThinking } from "./thinking-blocks.ts";

/** Messages as turns; a tool result gets the tool's name from its call. */
export function readTurns(messages: readonly unknown[]): Turn[] {
  const names = new Map<string, string>();
  return messages.map((item, index) => {
    const message = fieldsOf(item);
    return cachedTurn(readTurn(message, `messages[${index}]`, names), message["cache_control"]);
  });
}

/** Clients without content parts mark a whole message for Claude's cache: up to its last part. */
function cachedTurn(turn: Turn, cacheControl: unknown): Turn {
  const last = turn.parts.at(-1);
  const isMarkable = last?.type === "text" || last?.type === "media";
  if (cacheControl == null || !isMarkable || last.cacheControl != null) return turn;
  return { ...turn, parts: [...turn.parts.slice(0, -1), { ...last, cacheControl }] } as Turn;
}

function readTurn(message: Fields, param: string, names: Map<string, string>): Turn {
  const { role, content } = message;
  switch (role) {
    case "system":
    case "developer":
      return { role: "system", parts: textParts(content, readTextPart) };
    case "user":
      return { role, parts: readParts(content, `${param}.content`) };
    case "assistant":
      return { role, parts: readAssistant(message, param, names) };
    case "tool": {
      const sent = textOf(message["tool_call_id"]) ?? "";
      const name = names.get(sent) ?? textOf(message["name"]) ?? sent;
      const parts = readParts(content, `${param}.content`);
      return {
        role: "user",
        parts: [{ type: "result", callId: openCallId(sent).id, name, parts, isError: false }],
      };
    }
    default:
      throw refusal(`${param}.role`, `Messages of role '${String(role)}' are not available with this model.`);
  }
}

function readAssistant(message: Fields, param: string, names: Map<string, string>): AssistantPart[] {
  if (message["function_call"] != null)
    throw refusal(`${param}.function_call`, "This model does not support function_call. Use tool_calls instead.");
  const texts = textParts(message["content"], readTextPart);
  const parts = textAndThinking(texts, message["thinking_blocks"]);
  const signature = googleSignature(message);
  if (signature !== undefined) parts.push({ type: "thinking", text: "", signature: markedSignature(signature) });
  const refused = textOf(message["refusal"]);
  if (refused !== undefined && refused !== "") parts.push({ type: "text", text: refused });
  for (const [index, item] of listOf(message["tool_calls"]).entries()) {
    const call = readCall(fieldsOf(item), `${param}.tool_calls[${index}]`);
    names.set(textOf(fieldsOf(item)["id"]) ?? "", call.name);
    parts.push(call);
  }
  return parts;
}

function readCall(call: Fields, param: string): CallPart {
  const called = fieldsOf(call["function"]);
  const text = textOf(called["arguments"]) ?? "";
  const input = text.trim() === "" ? {} : parsedJson(text);
  if (!isFields(input)) throw refusal(`${param}.function.arguments`, "must be a JSON object", "invalid_value");
  const { id, signature: inside } = openCallId(textOf(call["id"]) ?? "");
  const signature = googleSignature(call) ?? inside;
  return { type: "call", id, name: textOf(called["name"]) ?? "", input, signature };
}

const readTextPart: ReadTextPart = (part) => {
  const read = textOrRefusal(part);
  return read && { ...read, cacheControl: part["cache_control"] };
};
