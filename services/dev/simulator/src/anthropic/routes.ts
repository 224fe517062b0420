import type { Call, Provider, Reply } from "../http/types.ts";
import { countTokensOf, messages } from "./messages.ts";
import { type AnthropicModel, anthropicModels, findAnthropicModel } from "./models.ts";
import { costReport, usageReport } from "./organization.ts";
import { anthropicProtocol, rejectAnthropic } from "./protocol.ts";

function modelObject(model: AnthropicModel): object {
  return {
    type: "model",
    id: model.id,
    display_name: model.displayName,
    created_at: model.createdAt,
    max_input_tokens: model.contextTokens,
    max_tokens: model.maxOutputTokens,
  };
}

function listModels({ query }: Call): Reply {
  const all = anthropicModels();
  const limit = Number(query.get("limit") ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    throw rejectAnthropic(400, "limit: Input should be between 1 and 1000");
  }
  const placeOf = (id: string | null) => all.findIndex((model) => model.id === id);
  const after = placeOf(query.get("after_id"));
  const before = placeOf(query.get("before_id"));
  const end = before < 0 ? all.length : before;
  const start = before < 0 ? after + 1 : Math.max(0, end - limit);
  const page = all.slice(start, Math.min(end, start + limit));
  const body = {
    data: page.map(modelObject),
    has_more: before < 0 ? start + page.length < all.length : start > 0,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
  return { type: "json", status: 200, body };
}

function getModel(call: Call): Reply {
  const model = findAnthropicModel(call.model ?? "");
  if (model === undefined) throw rejectAnthropic(404, `model: ${call.model}`);
  return { type: "json", status: 200, body: modelObject(model) };
}

export const anthropic: Provider = {
  name: "anthropic",
  prefix: "/anthropic",
  protocol: anthropicProtocol,
  routes: [
    { method: "POST", path: "/v1/messages", operation: "messages", handle: messages },
    { method: "POST", path: "/v1/messages/count_tokens", operation: "messages.count_tokens", handle: countTokensOf },
    {
      method: "GET",
      path: "/v1/organizations/usage_report/messages",
      operation: "usage_report",
      handle: usageReport,
    },
    { method: "GET", path: "/v1/organizations/cost_report", operation: "cost_report", handle: costReport },
    { method: "GET", path: "/v1/models", operation: "models.list", handle: listModels },
    { method: "GET", path: "/v1/models/{model}", operation: "models.get", handle: getModel },
  ],
};
