import { countOf, fieldsOf, listOf, textOf } from "../../conversation/fields.ts";
import type { AssistantPart, RedactedPart, TextPart, ThinkingPart } from "../../conversation/types.ts";

/**
 * The thinking of a message, as an addition to OpenAI's format that clients send back unchanged.
 * @param offset characters of the message's `content` that precede it
 */
export function thinkingBlock(fields: object, offset: number): object {
  return { ...fields, ...(offset > 0 && { text_offset: offset }) };
}

/** A message's text and its thinking, in the order in which the model wrote them. */
export function textAndThinking(texts: readonly TextPart[], blocks: unknown): AssistantPart[] {
  const parts: AssistantPart[] = [];
  const rest = [...texts];
  let position = 0;
  const takeUntil = (offset: number): void => {
    while (position < offset) {
      const next = rest.shift();
      if (next === undefined) return;
      const head = next.text.slice(0, offset - position);
      parts.push({ ...next, text: head });
      if (head.length < next.text.length) rest.unshift({ ...next, text: next.text.slice(head.length) });
      position += head.length;
    }
  };
  for (const item of listOf(blocks)) {
    const part = readBlock(item);
    if (part === undefined) continue;
    takeUntil(countOf(fieldsOf(item)["text_offset"]) ?? 0);
    parts.push(part);
  }
  return [...parts, ...rest];
}

function readBlock(item: unknown): ThinkingPart | RedactedPart | undefined {
  const { type, thinking, signature, data } = fieldsOf(item);
  if (type === "redacted_thinking" && typeof data === "string") return { type: "redacted", data };
  if (type !== "thinking" || typeof thinking !== "string") return undefined;
  return { type: "thinking", text: thinking, signature: textOf(signature) ?? "" };
}
