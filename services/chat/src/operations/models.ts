import { modelEntries } from "@uag/catalog/model-entry";
import { type ModelRights, mayUseModel, modelNamed } from "@uag/catalog/names";
import type { Catalog, Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { modelListQuery } from "@uag/contract/requests/queries";
import { defineQuery } from "@uag/pipeline/operation/define-query";
import type { Operation } from "@uag/pipeline/operation/operation";
import { modelInPath } from "@uag/pipeline/request/model-in-path";
import { readQuery } from "@uag/pipeline/request/query";
import { pathOf } from "@uag/runtime/http/target";
import type { z } from "zod";
import type { ChatContext } from "../context.ts";

const maxRemembered = 1_000;

type Page = z.output<typeof modelListQuery>;

/**
 * `GET /v1/models`: the fields that OpenAI's and Anthropic's clients read, plus the model's
 * capabilities and prices. Complete lists are cached.
 */
export function listModels(context: ChatContext): Operation {
  let version = "";
  const remembered = new Map<string, Buffer>();
  return defineQuery(context, {
    respond({ target }, caller) {
      const catalog = context.catalog.current;
      const page = readQuery(modelListQuery, target);
      if (page.limit !== undefined || page.after_id !== undefined || page.before_id !== undefined) {
        return { body: listBody(catalog, caller, page) };
      }
      if (catalog.version !== version || remembered.size >= maxRemembered) remembered.clear();
      version = catalog.version;
      const key = JSON.stringify([caller.models, ...caller.levels.map(({ models }) => models)]);
      let body = remembered.get(key);
      if (body === undefined) {
        body = listBody(catalog, caller, page);
        remembered.set(key, body);
      }
      return { body };
    },
  });
}

/** `GET /v1/models/{id}` */
export function getModel(context: ChatContext): Operation {
  return defineQuery(context, {
    respond({ target }, caller) {
      const id = modelInPath(pathOf(target));
      const model = modelNamed(context.catalog.current, id);
      const entry = model && mayUseModel(caller, model) ? entryOf(model, id) : undefined;
      if (entry === undefined) {
        throw new GatewayError("not_found", "The model does not exist, or this key cannot use it.", { param: "model" });
      }
      return { body: entry };
    },
  });
}

const entryOf = (model: Model, name: string) => modelEntries(model).find(({ id }) => id === name);

function listBody(catalog: Catalog, caller: ModelRights, query: Page): Buffer {
  const all = [...catalog.models.values()].filter((model) => mayUseModel(caller, model)).flatMap(modelEntries);
  const after = query.after_id === undefined ? -1 : all.findIndex((model) => model.id === query.after_id);
  const before = query.before_id === undefined ? -1 : all.findIndex((model) => model.id === query.before_id);
  const range = all.slice(after + 1, before < 0 ? undefined : before);
  const limit = query.limit ?? range.length;
  const data = query.before_id === undefined ? range.slice(0, limit) : range.slice(-limit);
  const list = {
    object: "list",
    data,
    has_more: data.length < range.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
  return Buffer.from(JSON.stringify(list));
}
