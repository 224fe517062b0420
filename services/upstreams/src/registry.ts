import type { Protocol } from "@uag/catalog/types.ts";
import { anthropicMessages } from "./anthropic/messages.ts";
import { anthropicProtocol } from "./anthropic/protocol.ts";
import { arkImages } from "./ark/images.ts";
import { dashScopeImages } from "./dashscope/images.ts";
import { chatDialect } from "./formats/chat/format.ts";
import { messagesDialect } from "./formats/messages/format.ts";
import { geminiImages } from "./gemini/images.ts";
import { geminiProtocol } from "./gemini/protocol.ts";
import type { GenerationAdapter } from "./generation.ts";
import type { ImageAdapter } from "./images/types.ts";
import { openAiImages } from "./openai/images.ts";
import { openAiChat } from "./openai-compatible/chat.ts";
import { openAiProtocol } from "./openai-compatible/protocol.ts";
import { dashScopeDialect, openAiDialect, xaiDialect } from "./openai-compatible/variant.ts";
import { translated } from "./translate/adapter.ts";
import { xaiImages } from "./xai/images.ts";

type Adapters = Partial<Record<Protocol, GenerationAdapter>>;

/** Text generation: the client's format, and the protocols it can be served by. */
const generation = {
  "chat.completions": {
    openai: openAiChat(openAiDialect),
    dashscope: openAiChat(dashScopeDialect),
    xai: openAiChat(xaiDialect),
    anthropic: translated(chatDialect, anthropicProtocol),
    gemini: translated(chatDialect, geminiProtocol),
  },
  messages: {
    anthropic: anthropicMessages,
    openai: translated(messagesDialect, openAiProtocol(openAiDialect)),
    dashscope: translated(messagesDialect, openAiProtocol(dashScopeDialect)),
    xai: translated(messagesDialect, openAiProtocol(xaiDialect)),
    gemini: translated(messagesDialect, geminiProtocol),
  },
} as const satisfies Record<string, Adapters>;

export type GenerationFormat = keyof typeof generation;

/** The adapter from a client's format to an upstream's protocol; undefined when there is none. */
export function generationAdapter(format: GenerationFormat, protocol: Protocol): GenerationAdapter | undefined {
  return (generation[format] as Adapters)[protocol];
}

const images: Partial<Record<Protocol, ImageAdapter>> = {
  openai: openAiImages,
  dashscope: dashScopeImages,
  ark: arkImages,
  xai: xaiImages,
  gemini: geminiImages,
};

/** How images are asked for in an upstream's protocol; undefined when they cannot be. */
export function imageAdapter(protocol: Protocol): ImageAdapter | undefined {
  return images[protocol];
}
