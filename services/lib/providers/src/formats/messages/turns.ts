import { openCallId } from "../../conversation/call-id.ts";
import { type Fields, fieldsOf, listOf, textOf } from "../../conversation/fields.ts";
import { refusal } from "../../conversation/refusal.ts";
import { textParts } from "../../conversation/text-parts.ts";
import type { AssistantPart, MediaPart, ResultPart, TextPart, Turn, UserPart } from "../../conversation/types.ts";
import { documentParts, imagePart } from "./media.ts";

/**
 * Claude Code's billing note to the vendor: it would only make the beginning of each prompt differ.
 */
const attribution = /^x-anthropic-billing-header:/;

export function readSystem(system: unknown): Turn[] {
  const parts = textParts(system, markedText).filter((part) => !attribution.test(part.text));
  return parts.length === 0 ? [] : [{ role: "system", parts }];
}

function markedText({ text, cache_control: cacheControl }: Fields): TextPart | undefined {
  return typeof text === "string" ? { type: "text", text, ...marker(cacheControl) } : undefined;
}

const marker = (cacheControl: unknown) => (cacheControl == null ? {} : { cacheControl });

/** Messages as turns; a tool result gets the tool's name from its call. */
export function readTurns(messages: readonly unknown[]): Turn[] {
  const names = new Map<string, string>();
  return messages.map((item, index): Turn => {
    const { role, content } = fieldsOf(item);
    const param = `messages.${index}.content`;
    if (role === "system") return { role, parts: textParts(content) };
    if (role === "assistant") return { role, parts: readAssistant(content, names) };
    return { role: "user", parts: readUser(content, param, names) };
  });
}

function readAssistant(content: unknown, names: Map<string, string>): AssistantPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return listOf(content).flatMap((item): AssistantPart[] => {
    const block = fieldsOf(item);
    switch (block["type"]) {
      case "text":
        return [{ type: "text", text: textOf(block["text"]) ?? "" }];
      case "thinking":
        return [
          {
            type: "thinking",
            text: textOf(block["thinking"]) ?? "",
            signature: textOf(block["signature"]) ?? "",
          },
        ];
      case "tool_use": {
        const sent = textOf(block["id"]) ?? "";
        const name = textOf(block["name"]) ?? "";
        names.set(sent, name);
        return [{ type: "call", ...openCallId(sent), name, input: fieldsOf(block["input"]) }];
      }
      default:
        // Results of a vendor's own tools, and thinking that only that vendor can read.
        return [];
    }
  });
}

function readUser(content: unknown, param: string, names: ReadonlyMap<string, string>): UserPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return listOf(content).flatMap((item, index): UserPart[] => {
    const block = fieldsOf(item);
    const where = `${param}.${index}`;
    const parts = block["type"] === "tool_result" ? [readResult(block, where, names)] : readBlock(block, where);
    // Of a block that is read as several parts, the last one ends what is cached.
    return parts.map((part, at) => (at === parts.length - 1 ? { ...part, ...marker(block["cache_control"]) } : part));
  });
}

function readResult(block: Fields, param: string, names: ReadonlyMap<string, string>): ResultPart {
  const sent = textOf(block["tool_use_id"]) ?? "";
  const { content } = block;
  const parts: (TextPart | MediaPart)[] =
    typeof content === "string"
      ? [{ type: "text", text: content }]
      : listOf(content).flatMap((item, index) => readBlock(fieldsOf(item), `${param}.content.${index}`));
  const isError = block["is_error"] === true;
  return { type: "result", callId: openCallId(sent).id, name: names.get(sent) ?? sent, parts, isError };
}

function readBlock(block: Fields, param: string): (TextPart | MediaPart)[] {
  switch (block["type"]) {
    case "text":
      return [{ type: "text", text: textOf(block["text"]) ?? "" }];
    case "image":
      return [imagePart(block, param)];
    case "document":
      return documentParts(block, param, (inner, where) => readBlock(inner, where));
    case "search_result": {
      const found = textParts(block["content"]).map((part) => part.text);
      return [{ type: "text", text: [textOf(block["title"]), textOf(block["source"]), ...found].join("\n") }];
    }
    case "tool_reference":
      return [];
    default: {
      const type = String(block["type"]).slice(0, 60);
      throw refusal(`${param}.type`, `Blocks of type '${type}' are not available with this model.`);
    }
  }
}
