import assert from "node:assert/strict";
import { json, type OddCase, retried, send, type Wire } from "@uag/harness/odd-provider/case";
import { commonCases, unusableBodies } from "@uag/harness/odd-provider/cases";
import { testOddProviders } from "@uag/harness/odd-provider/run";
import { startEmbedding } from "./support.ts";

const catalog = (url: string): string => `
providers:
  voyage: { protocol: voyage, base_url: "${url}", api_key: sk-upstream-secret, timeouts: { first_byte: 20s, between_chunks: 1s, total: 20s } }
models:
  - id: ranks
    owned_by: acme
    created: 2026-01-01
    operations: [rerank]
    context_tokens: 8000
    price: { input_tokens: 1 }
    upstreams: [{ provider: voyage }]
`;

const ranked = (scores: readonly (readonly [index: unknown, score: unknown])[], usage: unknown): string =>
  JSON.stringify({
    object: "list",
    data: scores.map(([index, relevanceScore]) => ({ index, relevance_score: relevanceScore })),
    model: "ranks",
    usage,
  });
const wire: Wire = {
  usageName: "usage",
  usage: { total_tokens: 9 },
  whole: (usage) =>
    ranked(
      [
        [1, 0.9],
        [0, 0.2],
      ],
      usage,
    ),
  error: (more) => JSON.stringify({ detail: "boom", ...more }),
};

const list =
  (...scores: Parameters<typeof ranked>[0]) =>
  (_: Wire, usage: unknown): string =>
    ranked(scores, usage);

const cases: OddCase[] = [
  ...unusableBodies({
    "fewer results than requested": list([1, 0.9]),
    "the same document twice": list([1, 0.9], [1, 0.2]),
    "a document that was not sent": list([1, 0.9], [2, 0.2]),
    "a score of text": list([1, "high"], [0, 0.2]),
  }),
  {
    name: "no list of results",
    respond: () => send("200 OK", json, JSON.stringify({ object: "list", data: null })),
    ...retried,
  },
];

testOddProviders({
  modes: [
    {
      name: "a ranking of Voyage",
      wire,
      stream: false,
      streamsToClient: false,
      operation: "rerank",
      body: (marker) => ({ model: "ranks", query: marker, documents: ["a text", "another text"] }),
      usageNanoUsd: 9_000n,
      check(response) {
        const { results } = response.json() as unknown as { results: object[] };
        assert.deepEqual(results, [
          { index: 1, relevance_score: 0.9 },
          { index: 0, relevance_score: 0.2 },
        ]);
      },
      // Voyage reports a refused request as `detail`, whatever the status.
      differs: { "status 200 with an error": { calls: 1 } },
    },
  ],
  cases: [...commonCases, ...cases],
  start: (url) => startEmbedding({ catalog: catalog(url) }),
});
