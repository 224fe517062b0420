import { geminiFormat } from "../formats/gemini/format.ts";
import type { TextGeneration, UpstreamProvider } from "../provider.ts";
import { geminiCounters } from "./count.ts";
import { geminiEmbeddings } from "./embeddings.ts";
import { geminiGenerateContent } from "./generate-content.ts";
import { geminiImages } from "./images.ts";
import { geminiOwnModels } from "./own-models.ts";
import { geminiProtocol } from "./protocol.ts";

/** Text generation by Gemini's protocol. */
export const geminiGeneration: TextGeneration = {
  format: geminiFormat,
  adapter: geminiGenerateContent,
  protocol: geminiProtocol,
};

/** Google's Gemini API. */
export const gemini: UpstreamProvider = {
  generation: geminiGeneration,
  ownModels: geminiOwnModels,
  images: geminiImages,
  embeddings: geminiEmbeddings,
  promptCounters: geminiCounters,
  // It continues generating to the end, and bills it
  // (https://openrouter.ai/docs/api-reference/streaming, "Stream Cancellation").
  onAbort: "continues",
};
