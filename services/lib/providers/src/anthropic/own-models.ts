import { countOf, fieldsOf, textOf } from "../conversation/fields.ts";
import type { OwnModelsAdapter } from "../own-models/types.ts";
import { anthropicFailure } from "./errors.ts";
import { anthropicHeaders } from "./headers.ts";

/** Anthropic's list of models (platform.claude.com/docs/en/api/models-list); a page has at most 1,000. */
export const anthropicOwnModels: OwnModelsAdapter = {
  pathOf: () => "/v1/models?limit=1000",
  headersOf: (provider, requestId) => anthropicHeaders(provider, requestId, []),
  modelsIn(body) {
    const { data } = fieldsOf(body);
    if (!Array.isArray(data)) return undefined;
    return data.map(fieldsOf).flatMap((item) => {
      const id = textOf(item["id"]);
      if (id === undefined) return [];
      const contextTokens = countOf(item["max_input_tokens"]);
      const maxOutputTokens = countOf(item["max_tokens"]);
      return [{ id, displayName: textOf(item["display_name"]), contextTokens, maxOutputTokens }];
    });
  },
  failureOf: anthropicFailure,
};
