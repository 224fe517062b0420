import { openCallId } from "../../conversation/call-id.ts";
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../../conversation/fields.ts";
import { refusal } from "../../conversation/refusal.ts";
import { openThinking } from "../../conversation/sealed-thinking.ts";
import { reasoningPrefix } from "../../formats/responses/reasoning-item.ts";
import { editMembers, elementsOf, listOfElements, topLevelMembers } from "../../json-edit.ts";

const ownedByAccount =
  "the gateway stores no files, and one of the provider's belongs to another account. Send the content itself.";

/**
 * The input with only the changes that the upstream requires: without reasoning that it did not make,
 * and with its own ids of calls. Undefined if nothing changes; every other byte stays unchanged.
 * @throws {UpstreamFailure} `client` for content that is stored at the provider
 */
export function ownInput(body: Buffer, { input }: Fields): Buffer | undefined {
  const items = listOf(input).map(fieldsOf);
  for (const [index, item] of items.entries()) checkOwned(item, `input[${index}]`);
  if (!items.some((item) => isForeign(item) || hasSignedId(item))) return undefined;
  const member = topLevelMembers(body).findLast(({ key }) => key === "input");
  if (member === undefined) return undefined;
  const bytes = body.subarray(member.valueStart, member.end);
  return listOfElements(
    elementsOf(bytes).map(({ start, end }, place) => {
      const item = items[place] ?? {};
      return isForeign(item) ? undefined : withOwnId(bytes.subarray(start, end), item);
    }),
  );
}

/**
 * Reasoning that only a client refers to, or that another provider's model made: this one could not
 * read it.
 */
function isForeign({ type, id, encrypted_content: sealed, content }: Fields): boolean {
  if (type === "item_reference") return textOf(id)?.startsWith(`${reasoningPrefix}_`) === true;
  if (type !== "reasoning") return false;
  return textOf(sealed) === undefined ? listOf(content).length === 0 : openThinking(sealed).length > 0;
}

/** Ids of calls of Gemini's models contain a signature. */
const hasSignedId = ({ call_id: id }: Fields): boolean => openCallId(textOf(id) ?? "").signature !== undefined;

function withOwnId(bytes: Buffer, item: Fields): Buffer {
  if (!hasSignedId(item)) return bytes;
  const { id } = openCallId(textOf(item["call_id"]) ?? "");
  return editMembers(bytes, topLevelMembers(bytes), new Map([["call_id", JSON.stringify(id)]]));
}

function checkOwned(item: Fields, param: string): void {
  if (item["type"] === "item_reference" && !isForeign(item))
    throw refusal(param, "the gateway stores no items. Send the item itself, as clients do when store is false.");
  for (const name of ["content", "output"])
    for (const [index, part] of partsIn(item[name]).entries())
      if (part["file_id"] != null) throw refusal(`${param}.${name}[${index}].file_id`, ownedByAccount);
}

/** The parts of a content; the output of a computer's call is one part. */
const partsIn = (content: unknown): Fields[] => (isFields(content) ? [content] : listOf(content).map(fieldsOf));
