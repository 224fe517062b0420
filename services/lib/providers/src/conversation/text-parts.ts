import { type Fields, fieldsOf, listOf, textOf } from "./fields.ts";
import type { TextPart } from "./types.ts";

/** Reads one part of a message's content; undefined for a part that the format leaves out. */
export type ReadTextPart = (part: Fields) => TextPart | undefined;

/** The texts of a message's content, which is a text or a list of parts. */
export function textParts(content: unknown, readPart: ReadTextPart = textPart): TextPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return listOf(content).flatMap((item) => readPart(fieldsOf(item)) ?? []);
}

const textPart: ReadTextPart = (part) => partOf(textOf(part["text"]));

/** OpenAI's formats keep an assistant's refusal as a part of its own. */
export const textOrRefusal: ReadTextPart = (part) => textPart(part) ?? partOf(textOf(part["refusal"]));

const partOf = (text: string | undefined): TextPart | undefined =>
  text === undefined ? undefined : { type: "text", text };
