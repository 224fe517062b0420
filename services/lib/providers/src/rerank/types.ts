import type { JsonAdapter } from "../json-adapter.ts";
import type { UsageReport } from "../usage-report.ts";

/** One call to one upstream. */
export interface RerankCall {
  readonly requestId: string;
  readonly query: string;
  readonly documents: readonly string[];
  /** Number of results. */
  readonly results: number;
}

/** A document's relevance to the query. */
export interface RankedDocument {
  /** The document's place in the call. */
  readonly index: number;
  readonly score: number;
}

export interface RerankResponse {
  /** The most relevant first. */
  readonly ranked: readonly RankedDocument[];
  readonly usage: UsageReport | undefined;
}

declare module "../provider.ts" {
  interface Adapters {
    readonly rerank?: JsonAdapter<RerankCall, RerankResponse>;
  }
}
