import type { Fields } from "../conversation/fields.ts";
import { readUsage, readVectors, tokensReported } from "../embeddings/response.ts";
import type { EmbeddingAdapter } from "../embeddings/types.ts";
import { errorInside, openAiFailure } from "./errors.ts";
import { bearerHeaders } from "./headers.ts";
import type { OpenAiVariant } from "./variant.ts";

export interface OpenAiEmbeddingsOptions {
  readonly variant: OpenAiVariant;
  /** Relative to the provider's base path. */
  readonly path: string;
  /**
   * It returns vectors as base64 on request: a quarter of the bytes, and formatting the numbers
   * here costs less than transferring them as text.
   */
  readonly base64: boolean;
}

const counts = { tokensIn: (usage: Fields): unknown => usage["prompt_tokens"] ?? usage["total_tokens"] };
const names = { list: "data", vector: "embedding" };

/**
 * Embeddings of OpenAI and of vendors with the same protocol (OpenAI's reference, create
 * embeddings).
 */
export function openAiEmbeddings({ variant, path, base64 }: OpenAiEmbeddingsOptions): EmbeddingAdapter {
  return {
    numbersIn: base64 ? "base64" : "text",
    encode({ inputs, dimensions, requestId }, upstream) {
      const body = {
        model: upstream.model,
        input: inputs,
        encoding_format: base64 ? "base64" : "float",
        ...(dimensions !== undefined && upstream.vectorsCutHere !== true && { dimensions }),
      };
      return { path, headers: bearerHeaders(upstream.provider, requestId), body: Buffer.from(JSON.stringify(body)) };
    },
    decode(body, { inputs, dimensions, contents }, upstream) {
      const { vectors, scanned, list } = readVectors(body, {
        names,
        count: inputs.length,
        errorInside: (value) => errorInside(value, upstream, variant),
      });
      const usage = readUsage(body, { scanned, member: "usage", counts });
      const finished = dimensions === undefined || upstream.vectorsCutHere !== true;
      return { vectors, list: contents === undefined ? list : undefined, usage, finished };
    },
    usageIn: ({ usage }) => tokensReported(usage, counts),
    failureOf: (response, upstream) => openAiFailure(response, upstream, variant),
  };
}
