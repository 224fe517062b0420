import type { Upstream } from "@uag/catalog/types";
import { fieldsOf } from "../conversation/fields.ts";
import { readUsage, readVectors } from "../embeddings/response.ts";
import type { EmbeddingAdapter, EmbeddingCall } from "../embeddings/types.ts";
import { bearerHeaders } from "../openai-compatible/headers.ts";
import { voyageFailure } from "./errors.ts";
import { voyageCounts, voyageUsageIn } from "./usage.ts";

const names = { list: "data", vector: "embedding" };

/**
 * Voyage's embeddings (docs.voyageai.com, text embedding models). Unknown fields are rejected
 * there. Vectors are of length 1 at every size.
 */
export const voyageEmbeddings: EmbeddingAdapter = {
  numbersIn: "base64",
  encode(call, upstream) {
    const body = Buffer.from(JSON.stringify(bodyOf(call, upstream)));
    return { path: "/v1/embeddings", headers: bearerHeaders(upstream.provider, call.requestId), body };
  },
  decode(body, { inputs, dimensions, contents }, upstream) {
    const { vectors, scanned, list } = readVectors(body, {
      names,
      count: inputs.length,
      errorInside: (value) => {
        const { detail } = fieldsOf(value);
        return detail === undefined
          ? undefined
          : voyageFailure({ status: 400, header: () => undefined, body }, upstream);
      },
    });
    const usage = readUsage(body, { scanned, member: "usage", counts: voyageCounts });
    const finished = dimensions === undefined || upstream.vectorsCutHere !== true;
    return { vectors, list: contents === undefined ? list : undefined, usage, finished };
  },
  usageIn: voyageUsageIn,
  failureOf: voyageFailure,
};

function bodyOf({ inputs, dimensions, inputType }: EmbeddingCall, upstream: Upstream): object {
  return {
    model: upstream.model,
    input: inputs,
    encoding_format: "base64",
    ...(inputType !== undefined && { input_type: inputType }),
    ...(dimensions !== undefined && upstream.vectorsCutHere !== true && { output_dimension: dimensions }),
  };
}
