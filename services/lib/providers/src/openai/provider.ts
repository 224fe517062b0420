import { openAiEmbeddings } from "../openai-compatible/embeddings.ts";
import { compatibleGeneration } from "../openai-compatible/generation.ts";
import { openAiOwnModels } from "../openai-compatible/own-models.ts";
import { responsesCounter } from "../openai-compatible/responses/counter.ts";
import { openAiVariant } from "../openai-compatible/variant.ts";
import type { UpstreamProvider } from "../provider.ts";
import { openAiImages } from "./images.ts";
import { openAiModerations } from "./moderations.ts";
import { openAiTranscriptions } from "./transcriptions.ts";

/** OpenAI, and every vendor with its protocol in the catalogue. */
export const openAi: UpstreamProvider = {
  generation: compatibleGeneration(openAiVariant),
  ownModels: openAiOwnModels(openAiVariant, "/models"),
  images: openAiImages,
  moderations: openAiModerations,
  promptCounters: { responses: responsesCounter(openAiVariant) },
  transcriptions: openAiTranscriptions,
  embeddings: openAiEmbeddings({ variant: openAiVariant, path: "/embeddings", base64: true }),
  // https://openrouter.ai/docs/api-reference/streaming, "Stream Cancellation": which vendors stop a
  // stream, and its billing.
  onAbort: "stops",
  // https://platform.openai.com/docs/guides/prompt-caching, "Requirements".
  cachesFromTokens: 1_024,
};
