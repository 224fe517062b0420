import { type Fields, fieldsOf, listOf } from "../conversation/fields.ts";
import { editMembers, elementsOf, listOfElements, topLevelMembers } from "../json-edit.ts";

/**
 * Thinking of another vendor's model, which came to the client under our own translation and has
 * nobody's signature: Anthropic refuses it, and nobody else can read it. What a signature is worth
 * is the provider's to say.
 */
function isForeign(block: unknown): boolean {
  const { type, signature, data } = fieldsOf(block);
  if (type === "thinking") return typeof signature !== "string" || signature === "";
  return type === "redacted_thinking" && (typeof data !== "string" || data === "");
}

const foreignIn = (message: unknown): boolean => listOf(fieldsOf(message)["content"]).some(isForeign);

/**
 * What has to change of a messages request so that no thinking of other vendors is in it: undefined
 * when there is none. Every other byte of its turns stays as it is.
 */
export function withoutForeignThinking(body: Buffer, fields: Fields): ReadonlyMap<string, string | Buffer> | undefined {
  const messages = listOf(fields["messages"]);
  if (!messages.some(foreignIn)) return undefined;
  const member = topLevelMembers(body).findLast(({ key }) => key === "messages");
  if (member === undefined) return undefined;
  const bytes = body.subarray(member.valueStart, member.end);
  const turns = elementsOf(bytes).map(({ start, end }, place) => {
    const turn = bytes.subarray(start, end);
    return foreignIn(messages[place]) ? turnWithout(turn, listOf(fieldsOf(messages[place])["content"])) : turn;
  });
  const edits = new Map<string, string | Buffer>([["messages", listOfElements(turns)]]);
  // With a budget an answer that called tools has to begin with its thinking, and now it has none.
  if (fieldsOf(fields["thinking"])["type"] === "enabled" && lostIts(messages))
    edits.set("thinking", '{"type":"disabled"}');
  return edits;
}

/** A turn of nothing else is left out: neighbours of one role are taken as one. */
function turnWithout(turn: Buffer, content: readonly unknown[]): Buffer | undefined {
  if (content.every(isForeign)) return undefined;
  const members = topLevelMembers(turn);
  const member = members.findLast(({ key }) => key === "content");
  if (member === undefined) return turn;
  const list = turn.subarray(member.valueStart, member.end);
  const blocks = elementsOf(list).map(({ start, end }, place) =>
    isForeign(content[place]) ? undefined : list.subarray(start, end),
  );
  return editMembers(turn, members, new Map([["content", listOfElements(blocks)]]));
}

function lostIts(messages: readonly unknown[]): boolean {
  const last = messages.findLast((message) => fieldsOf(message)["role"] === "assistant");
  const blocks = listOf(fieldsOf(last)["content"]);
  return foreignIn(last) && blocks.some((block) => fieldsOf(block)["type"] === "tool_use");
}
