import { openAiEmbeddings } from "../openai-compatible/embeddings.ts";
import { compatibleGeneration } from "../openai-compatible/generation.ts";
import { openAiOwnModels } from "../openai-compatible/own-models.ts";
import type { UpstreamProvider } from "../provider.ts";
import { dashScopeImages } from "./images.ts";
import { dashScopeSpeech } from "./speech.ts";
import { dashScopeVariant } from "./variant.ts";
import { wanVideo } from "./video.ts";

/** Alibaba's DashScope: chat and embeddings by OpenAI's protocol, everything else by its own. */
export const dashScope: UpstreamProvider = {
  generation: compatibleGeneration(dashScopeVariant),
  ownModels: openAiOwnModels(dashScopeVariant, "/compatible-mode/v1/models"),
  images: dashScopeImages,
  video: wanVideo,
  embeddings: openAiEmbeddings({
    variant: dashScopeVariant,
    path: "/compatible-mode/v1/embeddings",
    base64: false,
  }),
  speech: dashScopeSpeech,
  // It continues generating to the end, and bills it
  // (https://openrouter.ai/docs/api-reference/streaming, "Stream Cancellation").
  onAbort: "continues",
  // Qwen-Omni's cap limits its text, which another model turns into speech.
  uncapped: ["thinking", "speech"],
};
