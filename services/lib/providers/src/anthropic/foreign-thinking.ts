import { type Fields, fieldsOf, listOf } from "../conversation/fields.ts";
import { geminiSignature } from "../conversation/gemini-signature.ts";
import { editMembers, elementsOf, listOfElements, topLevelMembers } from "../json-edit.ts";

/**
 * Thinking from another vendor's model, which reached the client through our translation and has no
 * signature, or Gemini's: Anthropic rejects it. Whether another signature is valid is for the
 * provider to decide.
 */
function isForeign(block: unknown): boolean {
  const { type, signature, data } = fieldsOf(block);
  if (type === "thinking") return typeof signature !== "string" || isForeignSignature(signature);
  return type === "redacted_thinking" && (typeof data !== "string" || data === "");
}

/** Whether a signature of thinking cannot be Claude's. */
export const isForeignSignature = (signature: string): boolean =>
  signature === "" || geminiSignature(signature) !== undefined;

const foreignIn = (message: unknown): boolean => listOf(fieldsOf(message)["content"]).some(isForeign);

/**
 * The edits that remove other vendors' thinking from a messages request: undefined when there is
 * none. Every other byte of its turns stays unchanged.
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
  // With a thinking budget, a turn that called tools must begin with its thinking, which has just
  // been removed.
  if (fieldsOf(fields["thinking"])["type"] === "enabled" && lostIts(messages))
    edits.set("thinking", '{"type":"disabled"}');
  return edits;
}

/** A turn that contains nothing else is dropped: consecutive turns of one role count as one. */
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
