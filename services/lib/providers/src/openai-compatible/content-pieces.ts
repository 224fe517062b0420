import { type Fields, fieldsOf, listOf, textOf } from "../conversation/fields.ts";

/** A run of a message's content. */
export interface ContentPiece {
  readonly type: "text" | "thinking";
  readonly text: string;
}

/**
 * A message's reasoning and content, in order. Vendors name the reasoning `reasoning_content`
 * (DeepSeek), `reasoning` (Groq, Cerebras) or `reasoning_details` (OpenRouter); Mistral makes it a
 * part of a content list (https://docs.mistral.ai/capabilities/reasoning).
 */
export function contentPieces(message: Fields): ContentPiece[] {
  const thought = textOf(message["reasoning_content"]) || textOf(message["reasoning"]) || detailsText(message);
  const pieces: ContentPiece[] = [{ type: "thinking", text: thought }, ...partsOf(message["content"])];
  return pieces.filter(({ text }) => text !== "");
}

function partsOf(content: unknown): ContentPiece[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return listOf(content).map((item): ContentPiece => {
    const part = fieldsOf(item);
    if (part["type"] === "thinking") return { type: "thinking", text: textIn(part["thinking"]) };
    return { type: "text", text: textOf(item) ?? textOf(part["text"]) ?? "" };
  });
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((item) => textOf(item) ?? textOf(fieldsOf(item)["text"]) ?? "")
    .join("");
}

function detailsText({ reasoning_details: details }: Fields): string {
  return listOf(details)
    .map((item) => textOf(fieldsOf(item)["text"]) ?? textOf(fieldsOf(item)["summary"]) ?? "")
    .join("");
}
