import { type ModelRights, mayUseModel, modelNamed, namesOf } from "@uag/catalog/names";
import type { Catalog, Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { geminiModelListQuery } from "@uag/contract/requests/generate-content";
import { modelOperationOf } from "@uag/contract/routes";
import { googleErrors } from "@uag/pipeline/google-errors";
import { defineQuery } from "@uag/pipeline/operation/define-query";
import type { Operation } from "@uag/pipeline/operation/operation";
import { modelInPath } from "@uag/pipeline/request/model-in-path";
import { readQuery } from "@uag/pipeline/request/query";
import { pathOf } from "@uag/runtime/http/target";
import type { ChatContext } from "../context.ts";

const defaultPage = 50;

/** `GET /v1beta/models`: the key's models that generate text or embeddings. */
export function listGeminiModels(context: ChatContext): Operation {
  return defineQuery(context, {
    errorFormat: googleErrors,
    respond({ target }, caller) {
      const { pageSize = defaultPage, pageToken } = readQuery(geminiModelListQuery, target);
      const all = entriesOf(context.catalog.current, caller);
      const last = all.findIndex(({ name }) => name === pageToken);
      if (pageToken !== undefined && last < 0)
        throw new GatewayError("invalid_request", "pageToken: is not of this list.", { param: "pageToken" });
      const start = last + 1;
      const page = all.slice(start, start + pageSize);
      const isLast = start + page.length >= all.length;
      return { body: { models: page, ...(!isLast && { nextPageToken: page.at(-1)?.name }) } };
    },
  });
}

/** `GET /v1beta/models/{model}` */
export function getGeminiModel(context: ChatContext): Operation {
  return defineQuery(context, {
    errorFormat: googleErrors,
    respond({ target }, caller) {
      const id = modelInPath(pathOf(target));
      const model = modelNamed(context.catalog.current, id);
      if (model === undefined || !mayUseModel(caller, model) || !isServed(model))
        throw new GatewayError("not_found", "The model does not exist, or this key cannot use it.", { param: "model" });
      return { body: entryOf(model, id) };
    },
  });
}

const methodsByOperation: Readonly<Record<string, readonly string[]>> = {
  [modelOperationOf("generate_content")]: ["generateContent", "streamGenerateContent", "countTokens"],
  [modelOperationOf("embed_content")]: ["embedContent", "batchEmbedContents"],
};

const methodsOf = ({ operations }: Model): string[] =>
  Object.entries(methodsByOperation).flatMap(([operation, methods]) => (operations.has(operation) ? methods : []));

const isServed = (model: Model): boolean => methodsOf(model).length > 0;

function entriesOf(catalog: Catalog, caller: ModelRights) {
  const served = [...catalog.models.values()].filter((model) => isServed(model) && mayUseModel(caller, model));
  return served.flatMap((model) => namesOf(model).map((name) => entryOf(model, name)));
}

/** A model as Gemini's API shows it: see `geminiModel` of `services/lib/contract/src/responses/generate-content.ts`. */
function entryOf(model: Model, id: string) {
  const { displayName, contextTokens, maxOutputTokens, reasoning } = model;
  return {
    name: `models/${id}`,
    version: "001",
    displayName,
    inputTokenLimit: contextTokens,
    outputTokenLimit: maxOutputTokens,
    supportedGenerationMethods: methodsOf(model),
    ...(reasoning !== undefined && { thinking: true }),
  };
}
