import type { Upstream } from "@uag/catalog/types";
import { withEditedCalls } from "../edited-calls.ts";
import type { UpstreamCall } from "../generation.ts";
import { openAiEmbeddings } from "../openai-compatible/embeddings.ts";
import { compatibleGeneration } from "../openai-compatible/generation.ts";
import { openAiOwnModels } from "../openai-compatible/own-models.ts";
import { openAiVariant } from "../openai-compatible/variant.ts";
import type { UpstreamProvider } from "../provider.ts";

/**
 * OpenAI's protocol at Azure: the v1 API, which takes the deployment as the model, or with an
 * `api-version` a path that names the deployment
 * (https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle).
 */
function placed<Call extends Pick<UpstreamCall, "path">>(call: Call, { provider, model }: Upstream): Call {
  const { apiVersion } = provider;
  if (apiVersion === undefined) return call;
  return { ...call, path: `/deployments/${encodeURIComponent(model)}${call.path}?api-version=${apiVersion}` };
}

const embeddings = openAiEmbeddings({ variant: openAiVariant, path: "/embeddings", base64: true });
const ownModels = openAiOwnModels(openAiVariant, "/models");

/** Azure OpenAI. Its list of models has those that can be deployed, not the deployments. */
export const azure: UpstreamProvider = {
  generation: withEditedCalls(compatibleGeneration(openAiVariant), placed),
  embeddings: {
    ...embeddings,
    encode: (call, upstream) => placed(embeddings.encode(call, upstream), upstream),
  },
  ownModels: {
    ...ownModels,
    pathOf: ({ apiVersion }) => (apiVersion === undefined ? "/models" : `/models?api-version=${apiVersion}`),
  },
  // https://openrouter.ai/docs/api-reference/streaming, "Stream Cancellation"
  onAbort: "stops",
  // https://learn.microsoft.com/azure/ai-foundry/openai/how-to/prompt-caching
  cachesFromTokens: 1_024,
};
