import { countOf, type Fields, fieldsOf, textOf } from "../conversation/fields.ts";
import type { OwnModel, OwnModelsAdapter } from "../own-models/types.ts";
import { openAiFailure } from "./errors.ts";
import { bearerHeaders } from "./headers.ts";
import type { OpenAiVariant } from "./variant.ts";

/** Vendors' names of the context: OpenRouter, Together; Groq; Mistral; vLLM. */
const contextFields = ["context_length", "context_window", "max_context_length", "max_model_len"] as const;

function modelOf(item: Fields): OwnModel[] {
  const id = textOf(item["id"]);
  if (id === undefined || id === "") return [];
  const context = contextFields.map((field) => countOf(item[field])).find((count) => count !== undefined && count > 0);
  // OpenRouter's and Groq's places of the longest output.
  const output = countOf(fieldsOf(item["top_provider"])["max_completion_tokens"] ?? item["max_completion_tokens"]);
  return [{ id, displayName: textOf(item["name"]), contextTokens: context, maxOutputTokens: output }];
}

/**
 * The list of models of OpenAI's protocol (OpenAI's reference, list models). Together's is a list
 * without an object around it.
 */
export function openAiOwnModels(variant: OpenAiVariant, path: string): OwnModelsAdapter {
  return {
    pathOf: () => path,
    headersOf: bearerHeaders,
    modelsIn(body) {
      const list = Array.isArray(body) ? body : fieldsOf(body)["data"];
      return Array.isArray(list) ? list.map(fieldsOf).flatMap(modelOf) : undefined;
    },
    failureOf: (response, upstream) => openAiFailure(response, upstream, variant),
  };
}
