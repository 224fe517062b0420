import { fieldsOf, parsedJson, textOf } from "@uag/providers/conversation/fields";
import { elementsOf, topLevelMembers } from "@uag/providers/json-edit";
import { maxIdChars, type StoredTurn } from "./document.ts";

/** A member of a JSON object, raw; undefined if it has none of this name. */
export function memberOf(object: Buffer, name: string): Buffer | undefined {
  const member = topLevelMembers(object).findLast(({ key }) => key === name);
  return member && object.subarray(member.valueStart, member.end);
}

/** The elements of a JSON list, raw; none of anything else. */
export function listIn(bytes: Buffer | undefined): Buffer[] {
  if (bytes === undefined || bytes[0] !== 91) return [];
  return elementsOf(bytes).map(({ start, end }) => bytes.subarray(start, end));
}

/** The items of a request's input: a text is one message of the user. */
export function inputItems(input: Buffer | undefined): Buffer[] {
  if (input === undefined || input[0] !== 34) return listIn(input);
  return [Buffer.from(`{"type":"message","role":"user","content":[{"type":"input_text","text":${input}}]}`)];
}

/** What a turn adds to its conversation: the request's own items, and the response's output. */
export function itemsOfTurn({ input, response }: Pick<StoredTurn, "input" | "response">): Buffer[] {
  return [...listIn(input), ...listIn(memberOf(response, "output"))];
}

/** The id of an item; undefined when it has none. */
export function itemId(item: Buffer): string | undefined {
  return textOf(fieldsOf(parsedJson(item.toString("utf8")))["id"]);
}

/**
 * The ids of items, at most 1,000 of at most 200 characters: others are not found by reference. The
 * row has them, which is read without being accounted for.
 */
export function itemIds(items: readonly Buffer[]): string[] {
  const ids = items.slice(-1_000).flatMap((item) => itemId(item) ?? []);
  return ids.filter((id) => id.length <= maxIdChars);
}
