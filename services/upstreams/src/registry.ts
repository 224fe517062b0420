import type { OnAbort, Protocol, Provider, Upstream } from "@uag/catalog/types.ts";
import { anthropic } from "./anthropic/provider.ts";
import { ark } from "./ark/provider.ts";
import { dashScope } from "./dashscope/provider.ts";
import type { EmbeddingAdapter } from "./embeddings/types.ts";
import { gemini } from "./gemini/provider.ts";
import type { GenerationAdapter, GenerationCall, GenerationFormat, PromptCounter } from "./generation.ts";
import type { ImageAdapter } from "./images/types.ts";
import { openAi } from "./openai/provider.ts";
import type { UncappedOutput, UpstreamProvider } from "./provider.ts";
import type { SpeechAdapter } from "./speech/types.ts";
import type { VideoAdapter } from "./video/types.ts";
import { voyage } from "./voyage/provider.ts";
import { xai } from "./xai/provider.ts";

/** One line per protocol of the catalogue's table (`services/catalog/src/protocols.ts`). */
const providers: Readonly<Record<Protocol, UpstreamProvider>> = {
  openai: openAi,
  anthropic,
  gemini,
  dashscope: dashScope,
  ark,
  voyage,
  xai,
};

/** The adapter from a client's format to an upstream's protocol; undefined if there is none. */
export function generationAdapter(format: GenerationFormat, protocol: Protocol): GenerationAdapter | undefined {
  return providers[protocol].generation?.[format];
}

/** Undefined for a protocol without images. */
export function imageAdapter(protocol: Protocol): ImageAdapter | undefined {
  return providers[protocol].images;
}

/** Undefined for a protocol without videos. */
export function videoAdapter(protocol: Protocol): VideoAdapter | undefined {
  return providers[protocol].video;
}

/** Undefined for a protocol without embeddings. */
export function embeddingAdapter(protocol: Protocol): EmbeddingAdapter | undefined {
  return providers[protocol].embeddings;
}

/** Undefined for a protocol without speech. */
export function speechAdapter(protocol: Protocol): SpeechAdapter | undefined {
  return providers[protocol].speech;
}

/** Undefined for a protocol that cannot count prompts. */
export function promptCounter(protocol: Protocol): PromptCounter | undefined {
  return providers[protocol].promptCounter;
}

/**
 * The provider's own row in the catalogue takes precedence: vendors that share a protocol may
 * differ here.
 */
export function onAbortOf({ onAbort, protocol }: Provider): OnAbort {
  return onAbort ?? providers[protocol].onAbort ?? "continues";
}

/**
 * Whether the model may think invisibly: then only the upstream's own usage tells the size of an
 * answer.
 */
export function thinksUnseen({ fields, model }: Pick<GenerationCall, "fields" | "model">, upstream: Upstream): boolean {
  if (model.reasoning !== undefined) return true;
  return providers[upstream.provider.protocol].thinksUnseen?.(fields, upstream) ?? false;
}

/** Whether one of the upstreams produces this output beyond the client's cap. */
export function isUncapped(upstreams: readonly Upstream[], output: UncappedOutput): boolean {
  return upstreams.some(({ provider }) => providers[provider.protocol].uncapped?.includes(output) === true);
}
