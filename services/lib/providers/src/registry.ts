import type { OnAbort, Protocol, Provider, Upstream } from "@uag/catalog/types";
import type { UnitName } from "@uag/catalog/units";
import { anthropic } from "./anthropic/provider.ts";
import { ark } from "./ark/provider.ts";
import { azure } from "./azure/provider.ts";
import { bedrock } from "./bedrock/provider.ts";
import { dashScope } from "./dashscope/provider.ts";
import { hiddenUnits, type StreamCall } from "./disconnect/estimable.ts";
import { responsesFormat } from "./formats/responses/format.ts";
import { gemini } from "./gemini/provider.ts";
import type { GenerationAdapter, GenerationCall } from "./generation.ts";
import { openAi } from "./openai/provider.ts";
import type {
  AdapterKind,
  TextGeneration,
  TranslatedGeneration,
  UncappedOutput,
  UpstreamProvider,
} from "./provider.ts";
import { translated } from "./translate/adapter.ts";
import type { GenerationFormat } from "./translate/client.ts";
import { vertex } from "./vertex/provider.ts";
import { voyage } from "./voyage/provider.ts";
import { xai } from "./xai/provider.ts";

/** One line per protocol of the catalogue's table (`services/lib/catalog/src/protocols.ts`). */
const providers: Readonly<Record<Protocol, UpstreamProvider>> = {
  openai: openAi,
  azure,
  anthropic,
  gemini,
  vertex,
  bedrock,
  dashscope: dashScope,
  ark,
  voyage,
  xai,
};

const translations = new WeakMap<TranslatedGeneration, Map<GenerationFormat, GenerationAdapter>>();

/** What of an upstream its protocol depends on. */
type Serving = Pick<Upstream, "model" | "responsesApi"> & { readonly provider: Pick<Provider, "protocol"> };

/**
 * The adapter from a client's format to an upstream's protocol; undefined if the upstream generates no
 * text. The Responses format is passed to an upstream that has it.
 */
export function generationAdapter(format: GenerationFormat, upstream: Serving): GenerationAdapter | undefined {
  const { generation: any } = providers[upstream.provider.protocol];
  const generation = typeof any === "function" ? any(upstream.model) : any;
  if (generation === undefined) return undefined;
  const { format: own, adapter, responses }: Partial<TextGeneration> = generation;
  if (own === format) return adapter;
  if (format === responsesFormat && upstream.responsesApi === true && responses) return responses;
  const known = translations.get(generation) ?? new Map<GenerationFormat, GenerationAdapter>();
  translations.set(generation, known);
  const translation = known.get(format) ?? translated(format, generation.protocol);
  known.set(format, translation);
  return translation;
}

/** What a protocol has of one kind; undefined where it has none. */
export function adapterFor<K extends AdapterKind>(kind: K, protocol: Protocol): UpstreamProvider[K] {
  return providers[protocol][kind];
}

/**
 * The provider's own row in the catalogue takes precedence: vendors that share a protocol may
 * differ here.
 */
export function onAbortOf({ onAbort, protocol }: Provider): OnAbort {
  return onAbort ?? providers[protocol].onAbort ?? "continues";
}

/**
 * Whether the model may think invisibly: then only the upstream's own usage reports the size of a
 * response.
 */
function thinksUnseen({ fields, model }: Pick<GenerationCall, "fields" | "model">, upstream: Upstream): boolean {
  if (model.reasoning !== undefined && !model.reasoning.shown) return true;
  return providers[upstream.provider.protocol].thinksUnseen?.(fields, upstream) ?? false;
}

/** The priced units that no part of a response shows: see {@link hiddenUnits}. */
export function hiddenUnitsOf(call: StreamCall, upstream: Upstream): ReadonlySet<UnitName> {
  const { protocol, cachesFromTokens } = upstream.provider;
  const provider = providers[protocol];
  return hiddenUnits(call, {
    thinksUnseen: thinksUnseen(call, upstream),
    reportsPromptFirst: provider.reportsPromptFirst === true,
    cachesFromTokens: cachesFromTokens ?? provider.cachesFromTokens ?? 0,
  });
}

/** Whether one of the upstreams produces this output beyond the client's cap. */
export function isUncapped(upstreams: readonly Upstream[], output: UncappedOutput): boolean {
  return upstreams.some(({ provider }) => providers[provider.protocol].uncapped?.includes(output) === true);
}
