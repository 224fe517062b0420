import { type Fields, fieldsOf, isFields, listOf, textOf } from "../../conversation/fields.ts";
import { markedSignature } from "../../conversation/gemini-signature.ts";
import { refusal } from "../../conversation/refusal.ts";
import { textParts } from "../../conversation/text-parts.ts";
import type { AssistantPart, ResultPart, Turn, UserPart } from "../../conversation/types.ts";
import { CallIds } from "./call-ids.ts";
import { readPart, responseText } from "./parts.ts";
import { openSignature } from "./signatures.ts";

export function readSystem(instruction: unknown): Turn[] {
  const parts = textParts(fieldsOf(instruction)["parts"]).filter(({ text }) => text !== "");
  return parts.length === 0 ? [] : [{ role: "system", parts }];
}

/** Contents as turns: every role but `model` is the user's. */
export function readContents(contents: readonly unknown[]): Turn[] {
  const ids = new CallIds();
  return contents.map((item, index): Turn => {
    const { role, parts } = fieldsOf(item);
    const listed = listOf(parts).map((part, at) => ({
      part: fieldsOf(part),
      param: `contents[${index}].parts[${at}]`,
    }));
    if (role === "model")
      return { role: "assistant", parts: listed.flatMap(({ part, param }) => spoken(part, param, ids)) };
    return { role: "user", parts: listed.map(({ part, param }) => sent(part, param, ids)) };
  });
}

function sent(part: Fields, param: string, ids: CallIds): UserPart {
  const { functionResponse: response } = part;
  return isFields(response) ? resultPart(response, `${param}.functionResponse`, ids) : readPart(part, param);
}

function resultPart({ id, name, response, parts }: Fields, param: string, ids: CallIds): ResultPart {
  const called = textOf(name) ?? "";
  const { text, isError } = responseText(response);
  const others = listOf(parts).map((part, at) => readPart(fieldsOf(part), `${param}.parts[${at}]`));
  const callId = ids.response(textOf(id), called);
  return { type: "result", callId, name: called, parts: [{ type: "text", text }, ...others], isError };
}

/** A part of the model's: thinking without a signature is only shown, and not sent back. */
function spoken(part: Fields, param: string, ids: CallIds): AssistantPart[] {
  const signature = textOf(part["thoughtSignature"]);
  const foreign = signature === undefined ? undefined : openSignature(signature);
  const own = foreign === undefined ? signature : undefined;
  return [...(foreign ?? []), ...ownParts(part, { own, param, ids })];
}

interface Speaking {
  /** Gemini's own signature of the part. */
  readonly own: string | undefined;
  readonly param: string;
  readonly ids: CallIds;
}

function ownParts(part: Fields, { own, param, ids }: Speaking): AssistantPart[] {
  const { functionCall: call, thought } = part;
  if (isFields(call)) {
    const name = textOf(call["name"]) ?? "";
    const id = ids.call(textOf(call["id"]), name);
    return [{ type: "call", id, name, input: fieldsOf(call["args"]), signature: own }];
  }
  const text = textOf(part["text"]);
  if (thought === true) return own === undefined ? [] : [thinkingOf(text ?? "", own)];
  if (text === undefined && own === undefined) {
    throw refusal(param, "Of the model's parts, only texts and function calls are available with this model.");
  }
  return [{ type: "text", text: text ?? "" }, ...(own === undefined ? [] : [thinkingOf("", own)])];
}

const thinkingOf = (text: string, signature: string): AssistantPart => ({
  type: "thinking",
  text,
  signature: markedSignature(signature),
});
