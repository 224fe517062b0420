import type { Fields } from "../conversation/fields.ts";
import { readUsage, readVectors, tokensReported } from "../embeddings/response.ts";
import type { EmbeddingAdapter, InputType } from "../embeddings/types.ts";
import { geminiErrorInside, geminiFailure } from "./errors.ts";
import { knownOfGemini } from "./usage.ts";

const counts = { tokensIn: (usage: Fields): unknown => usage["promptTokenCount"], known: knownOfGemini };
const names = { list: "embeddings", vector: "values" };
const taskTypes: Record<InputType, string> = { query: "RETRIEVAL_QUERY", document: "RETRIEVAL_DOCUMENT" };

/**
 * Gemini's `batchEmbedContents` (ai.google.dev/api/embeddings). The size is always sent: the
 * upstream model's default may differ from that of the model it serves. Truncated vectors are
 * not of length 1 there, and most models report no usage.
 */
export const geminiEmbeddings: EmbeddingAdapter = {
  numbersIn: "text",
  encode({ inputs, dimensions, traits, inputType, requestId }, { provider, model }) {
    const requests = inputs.map((text) => ({
      model: `models/${model}`,
      content: { parts: [{ text }] },
      outputDimensionality: dimensions ?? traits.dimensions,
      ...(inputType !== undefined && { taskType: taskTypes[inputType] }),
    }));
    return {
      path: `/v1beta/models/${encodeURIComponent(model)}:batchEmbedContents`,
      headers: [
        "x-goog-api-key",
        provider.apiKey,
        "content-type",
        "application/json",
        "accept-encoding",
        "identity",
        "x-client-request-id",
        requestId,
        ...provider.headers,
      ],
      body: Buffer.from(JSON.stringify({ requests })),
    };
  },
  decode(body, { inputs }, upstream) {
    const { vectors, scanned } = readVectors(body, {
      names,
      count: inputs.length,
      errorInside: (value) => geminiErrorInside(value, upstream),
    });
    const usage = readUsage(body, { scanned, member: "usageMetadata", counts });
    return { vectors, list: undefined, usage, finished: false };
  },
  usageIn: ({ usageMetadata }) => tokensReported(usageMetadata, counts),
  failureOf: geminiFailure,
};
