import { anthropicModels } from "../anthropic/models.ts";
import type { Provider, Reply } from "../http/types.ts";
import { countClaude, invokeClaude } from "./claude.ts";
import { converse, converseModels } from "./converse/converse.ts";
import { invokeEmbedding, isEmbedding } from "./embeddings.ts";
import { bedrockProtocol } from "./protocol.ts";

const place = "arn:aws:bedrock:us-east-1";

const createdAt = "2026-01-01T00:00:00Z";

function profileOf(modelId: string, name: string): object {
  return {
    inferenceProfileName: `US ${name}`,
    description: `Routes requests to ${name} in us-east-1 and us-west-2.`,
    createdAt,
    updatedAt: createdAt,
    inferenceProfileArn: `${place}:000000000000:inference-profile/us.${modelId}`,
    models: [{ modelArn: `${place}::foundation-model/${modelId}` }],
    inferenceProfileId: `us.${modelId}`,
    status: "ACTIVE",
    type: "SYSTEM_DEFINED",
  };
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListInferenceProfiles.html */
function listProfiles(): Reply {
  const claude = anthropicModels().map(({ id, displayName }) => profileOf(`anthropic.${id}-v1:0`, displayName));
  const inferenceProfileSummaries = [...claude, ...converseModels.map((id) => profileOf(id, id))];
  return { type: "json", status: 200, body: { inferenceProfileSummaries } };
}

/** Amazon Bedrock; its lists, which are at another host there, are in the same place. */
export const bedrock: Provider = {
  name: "bedrock",
  prefix: "/bedrock",
  protocol: bedrockProtocol,
  routes: [
    {
      method: "POST",
      path: "/model/{model}/invoke",
      operation: "messages",
      streams: false,
      handle: (call) => (isEmbedding(call.model ?? "") ? invokeEmbedding(call) : invokeClaude(call, false)),
    },
    {
      method: "POST",
      path: "/model/{model}/invoke-with-response-stream",
      operation: "messages",
      streams: true,
      handle: (call) => invokeClaude(call, true),
    },
    { method: "POST", path: "/model/{model}/count-tokens", operation: "count_tokens", handle: countClaude },
    {
      method: "POST",
      path: "/model/{model}/converse",
      operation: "converse",
      streams: false,
      handle: (call) => converse(call, false),
    },
    {
      method: "POST",
      path: "/model/{model}/converse-stream",
      operation: "converse",
      streams: true,
      handle: (call) => converse(call, true),
    },
    { method: "GET", path: "/inference-profiles", operation: "models.list", handle: listProfiles },
  ],
};
