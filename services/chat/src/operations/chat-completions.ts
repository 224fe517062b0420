import { errorEvent } from "@uag/contract/errors/shapes";
import { reportOf } from "@uag/pipeline/client-error";
import { nestedErrors } from "@uag/pipeline/nested-error";
import { chatFormat } from "@uag/providers/formats/chat/format";
import { withCost } from "@uag/providers/formats/cost";
import { chatFieldCosts } from "@uag/providers/passed-fields/chat";
import type { ClientFormat } from "../format.ts";
import { modelOf, readChatRequest } from "../request/chat-request.ts";

const none: readonly string[] = [];

/** `POST /v1/chat/completions` */
export const chatCompletions: ClientFormat = {
  name: "chat.completions",
  format: chatFormat,
  outputCapField: "max_tokens",
  knownFields: chatFieldCosts,
  modelOf,
  read: readChatRequest,
  passedHeaders: () => none,
  ...nestedErrors,
  keepAlive: undefined,
  withCost: (closing, cost) => withCost("chat", closing, cost),
  errorEvent: (clientError) => Buffer.from(errorEvent("nested", reportOf(clientError))),
};
