import { geminiFormat } from "../formats/gemini/format.ts";
import { messagesFormat } from "../formats/messages/format.ts";
import { responsesFormat } from "../formats/responses/format.ts";
import type { GenerationAdapter, GenerationFormat } from "../generation.ts";
import { translated } from "../translate/adapter.ts";
import { openAiChat } from "./chat.ts";
import { openAiProtocol } from "./protocol.ts";
import type { OpenAiVariant } from "./variant.ts";

/** Text generation by a vendor with OpenAI's chat protocol, for clients of every format. */
export function compatibleGeneration(variant: OpenAiVariant): Record<GenerationFormat, GenerationAdapter> {
  return {
    "chat.completions": openAiChat(variant),
    messages: translated(messagesFormat, openAiProtocol(variant)),
    responses: translated(responsesFormat, openAiProtocol(variant)),
    generate_content: translated(geminiFormat, openAiProtocol(variant)),
  };
}
