import type { ClientError } from "@uag/capability/client-error.ts";
import { nestedErrorBody } from "@uag/kit/errors.ts";
import { encodeSse } from "@uag/kit/sse/encoder.ts";
import type { ClientFormat } from "../format.ts";
import { modelOf, readChatRequest } from "../request/chat-request.ts";

const none: readonly string[] = [];

/** `POST /v1/chat/completions` */
export const chatCompletions: ClientFormat = {
  name: "chat.completions",
  modelOf,
  read: readChatRequest,
  passedHeaders: () => none,
  errorBody: (clientError) => Buffer.from(errorText(clientError)),
  keepAlive: undefined,
  errorEvent: (clientError) => encodeSse({ data: errorText(clientError) }),
};

/** OpenAI's error body; what an upstream said about the request itself keeps its words and codes. */
function errorText({ error, failure }: ClientError): string {
  const body = nestedErrorBody(error);
  const said = failure?.said;
  if (said === undefined || failure?.kind !== "client") return JSON.stringify(body);
  const { type = body.error.type, code = body.error.code, param = body.error.param } = said;
  return JSON.stringify({ error: { message: said.message, type, code, param } });
}
