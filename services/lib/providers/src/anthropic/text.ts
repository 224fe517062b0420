import { fieldsOf, listOf } from "../conversation/fields.ts";

/** The generated text of a complete message. */
export function messageText(message: unknown): string {
  return listOf(fieldsOf(message)["content"]).map(blockText).join("");
}

/** The generated text in the data of one stream event. */
export function eventText(data: unknown): string {
  const { type, delta, content_block } = fieldsOf(data);
  if (type === "content_block_start") return blockText(content_block);
  if (type !== "content_block_delta") return "";
  return texts(fieldsOf(delta), ["text", "thinking", "partial_json"]);
}

function blockText(value: unknown): string {
  const block = fieldsOf(value);
  const input = fieldsOf(block["input"]);
  const json = Object.keys(input).length === 0 ? "" : JSON.stringify(input);
  return texts(block, ["thinking", "text", "name"]) + json;
}

function texts(fields: Readonly<Record<string, unknown>>, names: readonly string[]): string {
  return names.map((name) => (typeof fields[name] === "string" ? fields[name] : "")).join("");
}
