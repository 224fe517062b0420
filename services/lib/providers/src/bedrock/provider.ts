import { claudeThinksUnseen } from "../anthropic/provider.ts";
import type { UpstreamProvider } from "../provider.ts";
import { bedrockClaude } from "./claude.ts";
import { converseProtocol } from "./converse/protocol.ts";
import { bedrockCounter } from "./count.ts";
import { bedrockEmbeddings } from "./embeddings.ts";
import { bedrockOwnModels } from "./own-models.ts";

/** The id of a model, or of an inference profile with the prefix of its region. */
const isClaude = (model: string): boolean => /(^|\.)anthropic\.claude/.test(model);
const converse = { protocol: converseProtocol };

/** Amazon Bedrock: Claude and embeddings by InvokeModel, which passes the vendor's protocol, and other models by Converse. */
export const bedrock: UpstreamProvider = {
  generation: (model) => (isClaude(model) ? bedrockClaude : converse),
  embeddings: bedrockEmbeddings,
  ownModels: bedrockOwnModels,
  promptCounters: { messages: bedrockCounter(isClaude) },
  thinksUnseen: (fields, upstream) => isClaude(upstream.model) && claudeThinksUnseen(fields, upstream),
  // It continues generating to the end, and bills it
  // (https://openrouter.ai/docs/api-reference/streaming, "Stream Cancellation").
  onAbort: "continues",
};
