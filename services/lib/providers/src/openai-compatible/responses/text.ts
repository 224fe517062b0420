import { type Fields, fieldsOf, listOf, textOf } from "../../conversation/fields.ts";

/** The generated text of a complete response: messages, refusals, reasoning, calls. */
export const outputText = (response: Fields): string => listOf(response["output"]).map(fieldsOf).map(itemText).join("");

/** The generated text in the data of one stream event. */
export function eventText(data: unknown): string {
  const { type, delta, item } = fieldsOf(data);
  // A call's name has no delta.
  if (type === "response.output_item.added") return textOf(fieldsOf(item)["name"]) ?? "";
  return textOf(delta) ?? "";
}

const partsOf = (item: Fields): Fields[] => [...listOf(item["content"]), ...listOf(item["summary"])].map(fieldsOf);

function itemText(item: Fields): string {
  const parts = partsOf(item).map((part) => texts(part, ["text", "refusal"]));
  return parts.join("") + texts(item, ["name", "arguments", "input"]);
}

const texts = (fields: Fields, names: readonly string[]): string =>
  names.map((name) => textOf(fields[name]) ?? "").join("");
