import type { Call, Provider, Reply } from "../http/types.ts";
import { openAiImageEdits } from "../openai-media/edits.ts";
import { openAiImages } from "../openai-media/generations.ts";
import { openAiSpeech } from "../openai-media/speech.ts";
import { openAiTranscriptions, openAiTranslations } from "../openai-media/transcriptions.ts";
import { openAiChat } from "./chat.ts";
import { openAiEmbeddings } from "./embeddings.ts";
import { openAiModelIds } from "./models.ts";
import { openAiModerations } from "./moderations.ts";
import { organizationCosts, organizationUsage } from "./organization.ts";
import { openAiProtocol, rejectOpenAi } from "./protocol.ts";
import { countResponses, openAiResponses } from "./responses.ts";

const modelsMadeAt = 1_715_367_049;

function modelObject(id: string): object {
  return { id, object: "model", created: modelsMadeAt, owned_by: "system" };
}

function listModels(): Reply {
  return { type: "json", status: 200, body: { object: "list", data: openAiModelIds().map(modelObject) } };
}

function getModel(call: Call): Reply {
  const id = call.model ?? "";
  if (openAiModelIds().includes(id)) return { type: "json", status: 200, body: modelObject(id) };
  throw rejectOpenAi({
    status: 404,
    message: `The model '${id}' does not exist`,
    param: "model",
    code: "model_not_found",
  });
}

export const openAi: Provider = {
  name: "openai",
  prefix: "/openai",
  protocol: openAiProtocol,
  routes: [
    { method: "POST", path: "/v1/chat/completions", operation: "chat.completions", handle: openAiChat },
    { method: "POST", path: "/v1/responses", operation: "responses", handle: openAiResponses },
    {
      method: "POST",
      path: "/v1/responses/input_tokens",
      operation: "responses.input_tokens",
      streams: false,
      handle: countResponses,
    },
    { method: "POST", path: "/v1/embeddings", operation: "embeddings", handle: openAiEmbeddings },
    { method: "POST", path: "/v1/moderations", operation: "moderations", handle: openAiModerations },
    { method: "POST", path: "/v1/images/generations", operation: "images.generations", handle: openAiImages },
    { method: "POST", path: "/v1/images/edits", operation: "images.edits", reads: "form", handle: openAiImageEdits },
    { method: "POST", path: "/v1/audio/speech", operation: "audio.speech", handle: openAiSpeech },
    {
      method: "POST",
      path: "/v1/audio/transcriptions",
      operation: "audio.transcriptions",
      reads: "form",
      handle: openAiTranscriptions,
    },
    {
      method: "POST",
      path: "/v1/audio/translations",
      operation: "audio.translations",
      reads: "form",
      streams: false,
      handle: openAiTranslations,
    },
    {
      method: "GET",
      path: "/v1/organization/usage/{endpoint}",
      operation: "organization.usage",
      handle: organizationUsage,
    },
    { method: "GET", path: "/v1/organization/costs", operation: "organization.costs", handle: organizationCosts },
    { method: "GET", path: "/v1/models", operation: "models.list", handle: listModels },
    { method: "GET", path: "/v1/models/{model}", operation: "models.get", handle: getModel },
  ],
};
