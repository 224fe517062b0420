import { claudeThinksUnseen } from "../anthropic/provider.ts";
import type { UpstreamProvider } from "../provider.ts";
import { bedrockClaude } from "./claude.ts";
import { converseProtocol } from "./converse/protocol.ts";
import { bedrockOwnModels } from "./own-models.ts";

/** The id of a model, or of an inference profile with the prefix of its region. */
const isClaude = (model: string): boolean => /(^|\.)anthropic\.claude/.test(model);
const converse = { protocol: converseProtocol };

/** Amazon Bedrock: Claude by InvokeModel, which passes Anthropic's own protocol, and other models by Converse. */
export const bedrock: UpstreamProvider = {
  generation: (model) => (isClaude(model) ? bedrockClaude : converse),
  ownModels: bedrockOwnModels,
  thinksUnseen: (fields, upstream) => isClaude(upstream.model) && claudeThinksUnseen(fields, upstream),
  // It continues generating to the end, and bills it
  // (https://openrouter.ai/docs/api-reference/streaming, "Stream Cancellation").
  onAbort: "continues",
};
