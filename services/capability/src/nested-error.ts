import { nestedErrorBody } from "@uag/kit/errors.ts";
import type { ClientError, ErrorFormat } from "./client-error.ts";

/** OpenAI's error body; what an upstream said about the request itself keeps its words and codes. */
export const nestedErrors: ErrorFormat = { errorBody: (error) => Buffer.from(JSON.stringify(bodyOf(error))) };

function bodyOf({ error, failure }: ClientError): unknown {
  const body = nestedErrorBody(error);
  const said = failure?.said;
  if (said === undefined || failure?.kind !== "client") return body;
  const { type = body.error.type, code = body.error.code, param = body.error.param } = said;
  return { error: { message: said.message, type, code, param } };
}
