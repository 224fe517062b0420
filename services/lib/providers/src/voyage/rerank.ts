import { countOf, type Fields, fieldsOf, isFields, listOf, numberOf, parsedJson } from "../conversation/fields.ts";
import { UpstreamFailure, unusableResponse } from "../failure.ts";
import type { JsonAdapter } from "../json-adapter.ts";
import { bearerHeaders } from "../openai-compatible/headers.ts";
import type { RankedDocument, RerankCall, RerankResponse } from "../rerank/types.ts";
import { voyageFailure } from "./errors.ts";
import { voyageUsageIn } from "./usage.ts";

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
