import { conformance } from "@uag/harness/conformance";
import { startEmbedding } from "./support.ts";

const catalog = (url: string): string => `
providers:
  one: { protocol: openai, base_url: "${url}/v1", api_key: sk-upstream-secret }
  voyage: { protocol: voyage, base_url: "${url}", api_key: sk-upstream-secret }
  google: { protocol: gemini, base_url: "${url}", api_key: sk-upstream-secret }
models:
  - &vectors
    id: vectors
    owned_by: acme
    created: 2026-01-01
    operations: [embeddings]
    output: [embedding]
    context_tokens: 8000
    embedding: { dimensions: 3 }
    price: { input_tokens: 1 }
    upstreams: [{ provider: one, batch: { items: 10, tokens: 8000 } }]
  - { <<: *vectors, id: gemini, upstreams: [{ provider: google, batch: { items: 10, tokens: 8000 } }] }
  - id: ranks
    owned_by: acme
    created: 2026-01-01
    operations: [rerank]
    context_tokens: 8000
    price: { input_tokens: 1 }
    upstreams: [{ provider: voyage }]
  - id: omni-moderation-latest
    owned_by: acme
    created: 2026-01-01
    operations: [moderations]
    price: {}
    upstreams: [{ provider: one }]
`;
const vectors = {
  object: "list",
  model: "vectors",
  data: [{ object: "embedding", index: 0, embedding: [0.1, 0.2, 0.3] }],
  usage: { prompt_tokens: 2, total_tokens: 2 },
};
const content = { content: { parts: [{ text: "a text" }] } };
const geminiVectors = { embeddings: [{ values: [0.1, 0.2, 0.3] }], usageMetadata: { promptTokenCount: 2 } };

conformance({
  file: import.meta.filename,
  start: (url, parts) => startEmbedding({ catalog: catalog(url), ...parts }),
  cases: [
    {
      name: "an embedding",
      operation: "embeddings",
      errorWithUsage: { error: { message: "boom", type: "server_error" }, usage: vectors.usage },
      body: { model: "vectors", input: "a text", encoding_format: "float" },
      respond(response) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(vectors));
      },
    },
    {
      name: "an embedding in Gemini's format",
      operation: "embed_content",
      target: "/v1beta/models/gemini:embedContent",
      errorWithUsage: {
        error: { code: 500, message: "boom", status: "INTERNAL" },
        usageMetadata: geminiVectors.usageMetadata,
      },
      body: content,
      respond(response) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(geminiVectors));
      },
    },
    {
      name: "embeddings in Gemini's format by another provider's model",
      operation: "batch_embed_contents",
      target: "/v1/models/vectors:batchEmbedContents",
      errorWithUsage: { error: { message: "boom", type: "server_error" }, usage: vectors.usage },
      body: { requests: [content] },
      respond(response) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(vectors));
      },
    },
    {
      name: "a ranking",
      operation: "rerank",
      errorWithUsage: { detail: "boom", usage: { total_tokens: 4 } },
      body: { model: "ranks", query: "a query", documents: ["a text"] },
      respond(response) {
        response.writeHead(200, { "content-type": "application/json" });
        const data = [{ index: 0, relevance_score: 0.5 }];
        response.end(JSON.stringify({ object: "list", data, model: "ranks", usage: { total_tokens: 4 } }));
      },
    },
    {
      name: "a moderation",
      operation: "moderations",
      isFree: true,
      body: { input: "a text" },
      respond(response) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ id: "modr-1", model: "omni-moderation-latest", results: [{ flagged: false }] }));
      },
    },
  ],
});
