import { countOf, fieldsOf, textOf } from "../conversation/fields.ts";
import type { OwnModelsAdapter } from "../own-models/types.ts";
import { geminiFailure } from "./errors.ts";
import { geminiHeaders } from "./headers.ts";

const prefix = "models/";

/** Gemini's list of models (ai.google.dev/api/models, models.list); a page has at most 1,000. */
export const geminiOwnModels: OwnModelsAdapter = {
  pathOf: () => "/v1beta/models?pageSize=1000",
  headersOf: geminiHeaders,
  modelsIn(body) {
    const { models } = fieldsOf(body);
    if (!Array.isArray(models)) return undefined;
    return models.map(fieldsOf).flatMap((item) => {
      const name = textOf(item["name"]);
      if (name === undefined || !name.startsWith(prefix)) return [];
      const contextTokens = countOf(item["inputTokenLimit"]);
      const maxOutputTokens = countOf(item["outputTokenLimit"]);
      const displayName = textOf(item["displayName"]);
      return [{ id: name.slice(prefix.length), displayName, contextTokens, maxOutputTokens }];
    });
  },
  failureOf: geminiFailure,
};
