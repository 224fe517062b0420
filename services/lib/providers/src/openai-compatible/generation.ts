import { chatFormat } from "../formats/chat/format.ts";
import type { TextGeneration } from "../provider.ts";
import { openAiChat } from "./chat.ts";
import { openAiProtocol } from "./protocol.ts";
import { openAiResponses } from "./responses/adapter.ts";
import type { OpenAiVariant } from "./variant.ts";

/** Text generation by a vendor with OpenAI's chat protocol. */
export function compatibleGeneration(variant: OpenAiVariant): TextGeneration {
  return {
    format: chatFormat,
    adapter: openAiChat(variant),
    protocol: openAiProtocol(variant),
    responses: openAiResponses(variant),
  };
}
