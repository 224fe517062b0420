import { claudeThinksUnseen } from "../anthropic/provider.ts";
import { withEditedCalls } from "../edited-calls.ts";
import { geminiGeneration } from "../gemini/provider.ts";
import type { UpstreamProvider } from "../provider.ts";
import { vertexClaude } from "./claude.ts";

/** https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference */
const vertexGemini = withEditedCalls(geminiGeneration, (call) => ({
  ...call,
  path: call.path.replace(/^\/v1beta\//, "/publishers/google/"),
}));

const isClaude = (model: string): boolean => model.startsWith("claude");

/** Google's Vertex AI: Gemini, and Claude, whose models' names begin with `claude`. */
export const vertex: UpstreamProvider = {
  generation: (model) => (isClaude(model) ? vertexClaude : vertexGemini),
  thinksUnseen: (fields, upstream) => isClaude(upstream.model) && claudeThinksUnseen(fields, upstream),
  // Google continues generating to the end, and bills it
  // (https://openrouter.ai/docs/api-reference/streaming, "Stream Cancellation").
  onAbort: "continues",
};
