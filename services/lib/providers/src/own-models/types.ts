import type { Provider, Upstream } from "@uag/catalog/types";
import type { UpstreamFailure } from "../failure.ts";
import type { BadResponse } from "../generation.ts";

/** A model as its provider lists it. */
export interface OwnModel {
  readonly id: string;
  /** Undefined where the provider does not list it, as the others. */
  readonly displayName?: string | undefined;
  readonly contextTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
}

/** How a provider lists its own models. */
export interface OwnModelsAdapter {
  /** Where the list is, if it is not where calls go. */
  originOf?(provider: Provider): string;
  /** Path and query, relative to the provider's base path, for as many models as one page can have. */
  pathOf(provider: Provider): string;
  /** Names and values alternating. */
  headersOf(provider: Provider, requestId: string): string[];
  /** The models in a response; undefined when it is not a list of models. */
  modelsIn(body: unknown): OwnModel[] | undefined;
  failureOf(response: BadResponse, upstream: Upstream): UpstreamFailure;
}

declare module "../provider.ts" {
  interface Adapters {
    /** Absent if the protocol has no list of models. */
    readonly ownModels?: OwnModelsAdapter;
  }
}
