import { compatibleGeneration } from "../openai-compatible/generation.ts";
import { openAiOwnModels } from "../openai-compatible/own-models.ts";
import { openAiVariant } from "../openai-compatible/variant.ts";
import type { UpstreamProvider } from "../provider.ts";
import { xaiImages } from "./images.ts";
import { xaiVideo } from "./video.ts";

/** xAI: Grok, its images and its videos. */
export const xai: UpstreamProvider = {
  generation: compatibleGeneration(openAiVariant),
  ownModels: openAiOwnModels(openAiVariant, "/models"),
  images: xaiImages,
  video: xaiVideo,
  // https://openrouter.ai/docs/api-reference/streaming, "Stream Cancellation"
  onAbort: "stops",
  uncapped: ["thinking"],
  // Of reasoning, the Responses API sends summaries.
  thinksUnseen: ({ input }, { responsesApi }) => responsesApi === true && input !== undefined,
};
