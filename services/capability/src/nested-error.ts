import { nestedErrorBody } from "@uag/kit/errors.ts";
import type { ErrorFormat, Trouble } from "./trouble.ts";

/** OpenAI's error body; what an upstream said about the request itself keeps its words and codes. */
export const nestedErrors: ErrorFormat = { errorBody: (trouble) => Buffer.from(JSON.stringify(bodyOf(trouble))) };

function bodyOf({ error, failure }: Trouble): unknown {
  const body = nestedErrorBody(error);
  const said = failure?.said;
  if (said === undefined || failure?.kind !== "client") return body;
  const { type = body.error.type, code = body.error.code, param = body.error.param } = said;
  return { error: { message: said.message, type, code, param } };
}
