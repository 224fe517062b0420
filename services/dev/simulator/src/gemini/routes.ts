import type { Call, Provider, Reply } from "../http/types.ts";
import { batchEmbedContents, embedContent } from "./embeddings.ts";
import { countTokensOf, generateContent, modelFor, streamGenerateContent } from "./generate.ts";
import { orImage } from "./images.ts";
import { type GeminiModel, geminiModels } from "./models.ts";
import { geminiProtocol, rejectGemini } from "./protocol.ts";

function modelObject(model: GeminiModel): object {
  return {
    name: `models/${model.id}`,
    version: "001",
    displayName: model.displayName,
    inputTokenLimit: model.inputTokenLimit,
    outputTokenLimit: model.outputTokenLimit,
    supportedGenerationMethods: ["generateContent", "countTokens"],
    temperature: 1,
    topP: 0.95,
    topK: 64,
    maxTemperature: 2,
    ...(model.thinking !== "never" && { thinking: true }),
  };
}

function listModels({ query }: Call): Reply {
  const size = Number(query.get("pageSize") ?? 50);
  const start = Number(query.get("pageToken") ?? 0);
  const isPage = Number.isInteger(size) && size > 0 && Number.isInteger(start) && start >= 0;
  if (!isPage) throw rejectGemini(400, "Invalid page size or page token.");
  const all = geminiModels();
  const next = start + size;
  const body = {
    models: all.slice(start, next).map(modelObject),
    ...(next < all.length && { nextPageToken: String(next) }),
  };
  return { type: "json", status: 200, body };
}

function getModel(call: Call): Reply {
  return { type: "json", status: 200, body: modelObject(modelFor(call, "getModel")) };
}

const model = "/v1beta/models/{model}";

export const gemini: Provider = {
  name: "gemini",
  prefix: "/gemini",
  protocol: geminiProtocol,
  routes: [
    {
      method: "POST",
      path: `${model}:generateContent`,
      operation: "generateContent",
      streams: false,
      handle: orImage(generateContent, false),
    },
    {
      method: "POST",
      path: `${model}:streamGenerateContent`,
      operation: "streamGenerateContent",
      streams: true,
      handle: orImage(streamGenerateContent, true),
    },
    { method: "POST", path: `${model}:countTokens`, operation: "countTokens", streams: false, handle: countTokensOf },
    { method: "POST", path: `${model}:embedContent`, operation: "embedContent", streams: false, handle: embedContent },
    {
      method: "POST",
      path: `${model}:batchEmbedContents`,
      operation: "batchEmbedContents",
      streams: false,
      handle: batchEmbedContents,
    },
    { method: "GET", path: "/v1beta/models", operation: "models.list", handle: listModels },
    { method: "GET", path: model, operation: "models.get", handle: getModel },
  ],
};
