import { nestedErrorBody } from "@uag/kit/errors.ts";
import type { Trouble } from "./trouble.ts";

/** OpenAI's error body; what an upstream said about the request itself keeps its words and codes. */
export function nestedTroubleBody({ error, failure }: Trouble): Buffer {
  const body = nestedErrorBody(error);
  const said = failure?.said;
  if (said === undefined || failure?.kind !== "client") return Buffer.from(JSON.stringify(body));
  const { type = body.error.type, code = body.error.code, param = body.error.param } = said;
  return Buffer.from(JSON.stringify({ error: { message: said.message, type, code, param } }));
}
