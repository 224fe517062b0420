import { countOf, type Fields, fieldsOf, isFields, listOf, numberOf, parsedJson } from "../conversation/fields.ts";
import { UpstreamFailure, unusableResponse } from "../failure.ts";
import type { JsonAdapter } from "../json-adapter.ts";
import { bearerHeaders } from "../openai-compatible/headers.ts";
import type { UsageReport } from "../usage-report.ts";
import { voyageFailure } from "./errors.ts";
import { voyageUsageIn } from "./usage.ts";

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

/**
 * Voyage's reranking (docs.voyageai.com, reranker API). A query is counted once for each document.
 * Texts beyond a model's context are cut there.
 */
export const voyageRerank: JsonAdapter<RerankCall, RerankResponse> = {
  encode({ requestId, query, documents, results }, { model, provider }) {
    const body = Buffer.from(JSON.stringify({ model, query, documents, top_k: results }));
    return { path: "/v1/rerank", headers: bearerHeaders(provider, requestId), body };
  },
  decode(body, call, upstream) {
    const response = parsedJson(body.toString("utf8"));
    if (fieldsOf(response)["detail"] !== undefined)
      throw voyageFailure({ status: 400, header: () => undefined, body }, upstream);
    if (!isFields(response) || !Array.isArray(response["data"]))
      throw new UpstreamFailure("transient", "the upstream's response has no list of results", { status: 200 });
    return { ranked: rankedIn(response, call), usage: voyageUsageIn(response) };
  },
  usageIn: voyageUsageIn,
  failureOf: voyageFailure,
};

/** @throws {UpstreamFailure} unless there are as many results as requested, each of another document */
function rankedIn({ data }: Fields, { documents, results }: RerankCall): RankedDocument[] {
  const ranked = listOf(data)
    .map(fieldsOf)
    .map(({ index, relevance_score: score }) => {
      const place = countOf(index);
      const relevance = numberOf(score);
      if (place === undefined || place >= documents.length || relevance === undefined)
        throw unusableResponse("the upstream's response has a result of no document");
      return { index: place, score: relevance };
    });
  const distinct = new Set(ranked.map(({ index }) => index)).size;
  if (distinct !== ranked.length || distinct !== results)
    throw unusableResponse(`the upstream's response does not have ${results} results`);
  return ranked.toSorted((a, b) => b.score - a.score);
}
