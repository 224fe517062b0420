import type { OperationsOf } from "@uag/pipeline/operation/operation";
import type { ChatContext } from "./context.ts";
import { generationOperation } from "./generation/operation.ts";
import { cancelResponse } from "./operations/cancel-response.ts";
import { chatCompletions } from "./operations/chat-completions.ts";
import { completions } from "./operations/completions.ts";
import { countGeminiTokens } from "./operations/count-gemini-tokens.ts";
import { countResponses } from "./operations/count-responses.ts";
import { countTokens } from "./operations/count-tokens.ts";
import { getGeminiModel, listGeminiModels } from "./operations/gemini-models.ts";
import { generateContent, streamGenerateContent } from "./operations/generate-content.ts";
import { orForGoogle } from "./operations/google-client.ts";
import { messages } from "./operations/messages.ts";
import { getModel, listModels } from "./operations/models.ts";
import { storingResponses } from "./operations/responses.ts";
import { deleteResponse, getResponse, listInputItems } from "./operations/stored-responses.ts";

/** The operations of this service, by their names in the table of routes. */
export function operations(context: ChatContext): OperationsOf<"chat"> {
  const listForGoogle = listGeminiModels(context);
  const getForGoogle = getGeminiModel(context);
  return {
    "chat.completions": generationOperation(chatCompletions, context),
    completions: generationOperation(completions, context),
    messages: generationOperation(messages, context),
    responses: generationOperation(storingResponses(context), context),
    "responses.input_tokens": countResponses(context),
    "responses.get": getResponse(context),
    "responses.delete": deleteResponse(context),
    "responses.cancel": cancelResponse(context),
    "responses.input_items": listInputItems(context),
    generate_content: generationOperation(generateContent, context),
    stream_generate_content: generationOperation(streamGenerateContent, context),
    "generate_content.count_tokens": countGeminiTokens(context),
    "gemini_models.list": listForGoogle,
    "gemini_models.get": getForGoogle,
    "messages.count_tokens": countTokens(context),
    "models.list": orForGoogle(listModels(context), listForGoogle),
    "models.get": orForGoogle(getModel(context), getForGoogle),
  };
}
