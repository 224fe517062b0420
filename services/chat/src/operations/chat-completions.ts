import { errorEvent } from "@uag/contract/errors/shapes";
import { reportOf } from "@uag/pipeline/client-error";
import { nestedErrors } from "@uag/pipeline/nested-error";
import type { ClientFormat } from "../format.ts";
import { modelOf, readChatRequest } from "../request/chat-request.ts";

const none: readonly string[] = [];

/** `POST /v1/chat/completions` */
export const chatCompletions: ClientFormat = {
  name: "chat.completions",
  modelOf,
  read: readChatRequest,
  passedHeaders: () => none,
  ...nestedErrors,
  keepAlive: undefined,
  errorEvent: (clientError) => Buffer.from(errorEvent("nested", reportOf(clientError))),
};
