import { openAiEmbeddings } from "../openai-compatible/embeddings.ts";
import { compatibleGeneration } from "../openai-compatible/generation.ts";
import type { UpstreamProvider } from "../provider.ts";
import { dashScopeImages } from "./images.ts";
import { dashScopeSpeech } from "./speech.ts";
import { dashScopeVariant } from "./variant.ts";
import { wanVideo } from "./video.ts";

/** Alibaba's DashScope: chat and embeddings in OpenAI's protocol, everything else in its own. */
export const dashScope: UpstreamProvider = {
  generation: compatibleGeneration(dashScopeVariant),
  images: dashScopeImages,
  video: wanVideo,
  embeddings: openAiEmbeddings({
    variant: dashScopeVariant,
    path: "/compatible-mode/v1/embeddings",
    base64: false,
  }),
  speech: dashScopeSpeech,
  // It goes on to the end, and bills it (https://openrouter.ai/docs/api-reference/streaming,
  // "Stream Cancellation").
  onAbort: "continues",
  // Qwen-Omni's cap bounds its text, from which another model makes the speech.
  uncapped: ["thinking", "speech"],
};
