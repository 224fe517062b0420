import type { ErrorFormat } from "@uag/capability/trouble.ts";
import type { LinkHandler } from "@uag/link/server.ts";
import type { ChatContext } from "./context.ts";
import { generationHandler } from "./generation/run.ts";
import { chatCompletions } from "./operations/chat-completions.ts";
import { countTokens } from "./operations/count-tokens.ts";
import { messages } from "./operations/messages.ts";
import { getModel, listModels } from "./operations/models.ts";

/** What this service serves, by the names that the router's table uses. */
export function operations(context: ChatContext): Record<string, LinkHandler> {
  return {
    "chat.completions": generationHandler(chatCompletions, context),
    "messages.create": generationHandler(messages, context),
    "messages.count_tokens": countTokens(context),
    "models.list": listModels(context),
    "models.get": getModel(context),
  };
}

/** How clients of Anthropic's format are told of errors that arise before a handler is asked. */
export const errorFormats: Readonly<Record<string, ErrorFormat>> = {
  "messages.create": messages,
  "messages.count_tokens": messages,
};
