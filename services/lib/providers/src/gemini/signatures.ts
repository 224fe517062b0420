import { type Fields, fieldsOf, isFields, listOf, textOf } from "../conversation/fields.ts";
import { openSignature } from "../formats/gemini/signatures.ts";
import { elementsOf, listOfElements, topLevelMembers } from "../json-edit.ts";
import { wantsSignatures } from "./models.ts";

/**
 * The value from Google's guide on thought signatures for calls without one, e.g. from another
 * model.
 */
export const noSignature = "skip_thought_signature_validator";

/**
 * The contents of a request in Gemini's own format without the signatures of other providers'
 * models, and with the stated value for calls of theirs; undefined when nothing changes. The bytes
 * of every other content stay unchanged.
 */
export function withoutForeignSignatures(body: Buffer, fields: Fields, model: string): Buffer | undefined {
  const contents = listOf(fields["contents"]).map((content) => accepted(fieldsOf(content), wantsSignatures(model)));
  if (contents.every((content) => content === undefined)) return undefined;
  const member = topLevelMembers(body).findLast(({ key }) => key === "contents");
  if (member === undefined) return undefined;
  const bytes = body.subarray(member.valueStart, member.end);
  const sent = elementsOf(bytes).map(({ start, end }) => bytes.subarray(start, end));
  return listOfElements(
    sent.map((own, index) => {
      const content = contents[index];
      return content === undefined ? own : Buffer.from(JSON.stringify(content));
    }),
  );
}

/** A content as the model accepts it; undefined when it does. */
function accepted(content: Fields, strict: boolean): Fields | undefined {
  if (content["role"] !== "model") return undefined;
  const parts = listOf(content["parts"]).map(fieldsOf);
  const first = parts.findIndex((part) => isFields(part["functionCall"]));
  const kept = parts.map((part, index) => acceptedPart(part, strict && index === first));
  return kept.every((part, index) => part === parts[index]) ? undefined : { ...content, parts: kept };
}

/** @param needsSignature of parallel calls only the first has one */
function acceptedPart(part: Fields, needsSignature: boolean): Fields {
  const signature = textOf(part["thoughtSignature"]);
  const isForeign = signature !== undefined && openSignature(signature) !== undefined;
  if (needsSignature && (isForeign || signature === undefined)) return { ...part, thoughtSignature: noSignature };
  if (!isForeign) return part;
  const { thoughtSignature: _, ...rest } = part;
  return rest;
}
