import type { Fields } from "../conversation/fields.ts";
import { readUsage, readVectors, tokensReported } from "../embeddings/response.ts";
import type { EmbeddingAdapter, EmbeddingCall, InputType } from "../embeddings/types.ts";
import { geminiErrorInside, geminiFailure } from "./errors.ts";
import { knownOfGemini } from "./usage.ts";

const counts = { tokensIn: (usage: Fields): unknown => usage["promptTokenCount"], known: knownOfGemini };
const names = { list: "embeddings", vector: "values" };
const taskTypes: Record<InputType, string> = { query: "RETRIEVAL_QUERY", document: "RETRIEVAL_DOCUMENT" };

/** What the client sent, or the same in this format. */
function requestsOf({ contents, inputs, inputType }: EmbeddingCall): readonly Fields[] {
  if (contents !== undefined) return contents;
  const purpose = inputType !== undefined && { taskType: taskTypes[inputType] };
  return inputs.map((text) => ({ content: { parts: [{ text }] }, ...purpose }));
}

/**
 * Gemini's `batchEmbedContents` (ai.google.dev/api/embeddings). The size is always sent: the
 * upstream model's default may differ from that of the model it serves. Truncated vectors are
 * not of length 1 there, which clients of its own format expect, and most models report no usage.
 */
export const geminiEmbeddings: EmbeddingAdapter = {
  numbersIn: "text",
  encode(call, { provider, model }) {
    const outputDimensionality = call.dimensions ?? call.traits.dimensions;
    const requests = requestsOf(call).map((one) => ({ ...one, model: `models/${model}`, outputDimensionality }));
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
        call.requestId,
        ...provider.headers,
      ],
      body: Buffer.from(JSON.stringify({ requests })),
    };
  },
  decode(body, { inputs, contents }, upstream) {
    const { vectors, scanned, list } = readVectors(body, {
      names,
      unnumbered: true,
      count: inputs.length,
      errorInside: (value) => geminiErrorInside(value, upstream),
    });
    const usage = readUsage(body, { scanned, member: "usageMetadata", counts });
    const isOwn = contents !== undefined;
    return { vectors, list: isOwn ? list : undefined, usage, finished: isOwn };
  },
  usageIn: ({ usageMetadata }) => tokensReported(usageMetadata, counts),
  failureOf: geminiFailure,
};
