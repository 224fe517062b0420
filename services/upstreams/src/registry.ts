import type { Protocol } from "@uag/catalog/types.ts";
import type { GenerationAdapter } from "./generation.ts";
import { openAiChat } from "./openai/chat.ts";
import { dashScopeDialect, openAiDialect, xaiDialect } from "./openai/dialect.ts";

type Adapters = Partial<Record<Protocol, GenerationAdapter>>;

/** Text generation: the client's format, and the protocols it can be served by. */
const generation = {
  "chat.completions": {
    openai: openAiChat(openAiDialect),
    dashscope: openAiChat(dashScopeDialect),
    xai: openAiChat(xaiDialect),
  },
} as const satisfies Record<string, Adapters>;

export type GenerationFormat = keyof typeof generation;

/** The adapter from a client's format to an upstream's protocol; undefined when there is none. */
export function generationAdapter(format: GenerationFormat, protocol: Protocol): GenerationAdapter | undefined {
  return (generation[format] as Adapters)[protocol];
}
