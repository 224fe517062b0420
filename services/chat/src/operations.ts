import { nestedErrors } from "@uag/capability/nested-error.ts";
import type { Operations } from "@uag/capability/operation/operation.ts";
import type { ChatContext } from "./context.ts";
import { generationHandler } from "./generation/run.ts";
import { chatCompletions } from "./operations/chat-completions.ts";
import { countTokens } from "./operations/count-tokens.ts";
import { messages } from "./operations/messages.ts";
import { getModel, listModels } from "./operations/models.ts";

/** What this service serves, by the names that the router's table uses. */
export function operations(context: ChatContext): Operations {
  return {
    "chat.completions": { handler: generationHandler(chatCompletions, context), errorFormat: () => chatCompletions },
    "messages.create": { handler: generationHandler(messages, context), errorFormat: () => messages },
    "messages.count_tokens": { handler: countTokens(context), errorFormat: () => messages },
    "models.list": { handler: listModels(context), errorFormat: () => nestedErrors },
    "models.get": { handler: getModel(context), errorFormat: () => nestedErrors },
  };
}
