import { rerankRequest } from "@uag/contract/requests/rerank";
import { rerankResult } from "@uag/contract/responses/media";
import type { Operation } from "../operation.ts";

export const tags = {
  Rerank: "Documents ordered by their relevance to a query. `POST /v2/rerank` is the same, for Cohere's clients.",
};

/** Ranking of documents. */
export const endpoints = {
  rerank: {
    id: "rankDocuments",
    tag: "Rerank",
    summary: "Ranks documents by their relevance to a query",
    request: { RerankRequest: rerankRequest },
    ok: { json: { RerankResult: rerankResult } },
    examples: [
      {
        name: "documents",
        summary: "The two most relevant of three documents",
        body: {
          model: "rerank-2.5",
          query: "Which boat is on the lake?",
          documents: ["A train crosses the valley.", "A red boat is on the lake.", "The lake is deep."],
          top_n: 2,
        },
      },
    ],
  },
} satisfies Readonly<Record<string, Operation>>;
