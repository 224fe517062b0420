import type { OperationsOf } from "@uag/pipeline/operation/operation";
import type { ChatContext } from "./context.ts";
import { generationOperation } from "./generation/operation.ts";
import { chatCompletions } from "./operations/chat-completions.ts";
import { countTokens } from "./operations/count-tokens.ts";
import { messages } from "./operations/messages.ts";
import { getModel, listModels } from "./operations/models.ts";
import { responses } from "./operations/responses.ts";

/** The operations of this service, by their names in the table of routes. */
export function operations(context: ChatContext): OperationsOf<"chat"> {
  return {
    "chat.completions": generationOperation(chatCompletions, context),
    messages: generationOperation(messages, context),
    responses: generationOperation(responses, context),
    "messages.count_tokens": countTokens(context),
    "models.list": listModels(context),
    "models.get": getModel(context),
  };
}
