import type { Operations } from "@uag/capability/operation/operation.ts";
import type { ChatContext } from "./context.ts";
import { generationOperation } from "./generation/operation.ts";
import { chatCompletions } from "./operations/chat-completions.ts";
import { countTokens } from "./operations/count-tokens.ts";
import { messages } from "./operations/messages.ts";
import { getModel, listModels } from "./operations/models.ts";
import { responses } from "./operations/responses.ts";

/** What this service serves, by operation name in the router's table. */
export function operations(context: ChatContext): Operations {
  return {
    "chat.completions": generationOperation(chatCompletions, context),
    "messages.create": generationOperation(messages, context),
    "responses.create": generationOperation(responses, context),
    "messages.count_tokens": countTokens(context),
    "models.list": listModels(context),
    "models.get": getModel(context),
  };
}
