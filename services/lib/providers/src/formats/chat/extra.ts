import { type Fields, fieldsOf, textOf } from "../../conversation/fields.ts";

/**
 * Where Google's own OpenAI-compatible endpoint puts the thought signature of a call or a message.
 */
export function googleExtra(signature: string | undefined): object {
  return signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
}

/** The thought signature of a call or a message that a client sends back. */
export function googleSignature(sent: Fields): string | undefined {
  return textOf(fieldsOf(fieldsOf(sent["extra_content"])["google"])["thought_signature"]);
}
