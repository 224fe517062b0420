import { fieldsOf, parsedJson, textOf } from "../conversation/fields.ts";
import { elementIn } from "./xml.ts";

/** Why a credential is refused, as an authority reports it. */
export interface Refusal {
  readonly code: string | undefined;
  readonly message: string | undefined;
}

/** Reads an error of OAuth (RFC 6749, 5.2), of Google's and AWS's APIs in JSON, or of AWS's query protocol in XML. */
export function refusalIn(body: string): Refusal {
  const fields = fieldsOf(parsedJson(body));
  const { error } = fields;
  const { status, message: text } = fieldsOf(error);
  const code = textOf(error) ?? textOf(status) ?? textOf(fields["code"]) ?? elementIn(body, "Code");
  const message =
    textOf(fields["error_description"]) ?? textOf(text) ?? textOf(fields["message"]) ?? elementIn(body, "Message");
  return { code, message: message === "" ? undefined : message };
}
