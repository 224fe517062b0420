import { defineQuery } from "@uag/capability/operation/define-query.ts";
import type { Operation } from "@uag/capability/operation/operation.ts";
import { mayUse } from "@uag/catalog/access.ts";
import { modelEntry } from "@uag/catalog/model-entry.ts";
import type { Catalog } from "@uag/catalog/types.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { ChatContext } from "../context.ts";

const maxPerPage = 1_000;
const maxRemembered = 1_000;

interface Page {
  readonly limit: number | undefined;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

/**
 * `GET /v1/models`: the fields that OpenAI's and Anthropic's clients read, plus the model's
 * capabilities and prices. Complete lists are cached.
 */
export function listModels(context: ChatContext): Operation {
  let version = "";
  const remembered = new Map<string, Buffer>();
  return defineQuery(context, {
    respond({ target }, { models }) {
      const catalog = context.catalog.current;
      const page = pageOf(target);
      if (page.limit !== undefined || page.after !== undefined || page.before !== undefined) {
        return { body: listBody(catalog, models, page) };
      }
      if (catalog.version !== version || remembered.size >= maxRemembered) remembered.clear();
      version = catalog.version;
      const key = models.join("\n");
      let body = remembered.get(key);
      if (body === undefined) {
        body = listBody(catalog, models, page);
        remembered.set(key, body);
      }
      return { body };
    },
  });
}

/** `GET /v1/models/{id}` */
export function getModel(context: ChatContext): Operation {
  return defineQuery(context, {
    respond({ target }, { models }) {
      const [path = ""] = target.split("?");
      const id = decodedId(path.slice(path.lastIndexOf("/models/") + "/models/".length));
      const model = context.catalog.current.models.get(id);
      if (model === undefined || !mayUse(models, id)) {
        throw new GatewayError("not_found", "This key has no model of that name.", { param: "model" });
      }
      return { body: modelEntry(model) };
    },
  });
}

function decodedId(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new GatewayError("invalid_request", "The path is not valid.", { cause });
  }
}

function pageOf(target: string): Page {
  const at = target.indexOf("?");
  if (at < 0) return { limit: undefined, after: undefined, before: undefined };
  const query = new URLSearchParams(target.slice(at + 1, at + 2_000));
  const limit = Number(query.get("limit") ?? Number.NaN);
  return {
    limit: limit >= 1 ? Math.min(Math.floor(limit), maxPerPage) : undefined,
    after: query.get("after_id") ?? undefined,
    before: query.get("before_id") ?? undefined,
  };
}

function listBody(catalog: Catalog, allowed: readonly string[], page: Page): Buffer {
  const all = [...catalog.models.values()].filter((model) => mayUse(allowed, model.id));
  const after = page.after === undefined ? -1 : all.findIndex((model) => model.id === page.after);
  const before = page.before === undefined ? -1 : all.findIndex((model) => model.id === page.before);
  const range = all.slice(after + 1, before < 0 ? undefined : before);
  const limit = page.limit ?? range.length;
  const data = page.before === undefined ? range.slice(0, limit) : range.slice(-limit);
  const list = {
    object: "list",
    data: data.map(modelEntry),
    has_more: data.length < range.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
  return Buffer.from(JSON.stringify(list));
}
