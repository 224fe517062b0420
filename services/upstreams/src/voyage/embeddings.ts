import type { Upstream } from "@uag/catalog/types.ts";
import { fieldsOf, parsedJson, textOf } from "../conversation/fields.ts";
import { readUsage, readVectors } from "../embeddings/response.ts";
import type { EmbeddingAdapter, EmbeddingCall } from "../embeddings/types.ts";
import { type FailureKind, UpstreamFailure } from "../failure.ts";
import type { BadResponse } from "../generation.ts";
import { bearerHeaders } from "../openai-compatible/headers.ts";
import { redact } from "../redact.ts";
import { retryAfterMs } from "../retry-after.ts";

const names = { list: "data", vector: "embedding" };

/**
 * Voyage's embeddings (docs.voyageai.com, text embedding models). Unknown fields are rejected
 * there. Vectors are of length 1 at every size.
 */
export const voyageEmbeddings: EmbeddingAdapter = {
  encode(call, upstream) {
    const body = Buffer.from(JSON.stringify(bodyOf(call, upstream)));
    return { path: "/v1/embeddings", headers: bearerHeaders(upstream.provider, call.requestId), body };
  },
  decode(body, { inputs, dimensions }, upstream) {
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
    const usage = readUsage(body, { scanned, member: "usage", tokensIn: ({ total_tokens }) => total_tokens });
    return { vectors, list, usage, finished: dimensions === undefined || upstream.vectorsCutHere !== true };
  },
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

/** Errors are a string under `detail`. */
function voyageFailure(response: BadResponse, upstream: Upstream): UpstreamFailure {
  const { status } = response;
  const detail = textOf(fieldsOf(parsedJson(response.body.toString("utf8")))["detail"]);
  const message = detail === undefined || detail === "" ? undefined : redact(detail, upstream.provider);
  const reported = message === undefined ? undefined : { message, type: undefined, code: undefined, param: undefined };
  return new UpstreamFailure(kindOf(status, message ?? ""), `${upstream.provider.name} answered ${status}`, {
    status,
    reported,
    retryAfterMs: retryAfterMs(response.header, Date.now()),
  });
}

function kindOf(status: number, message: string): FailureKind {
  if (status === 401 || status === 403 || (status >= 300 && status < 400)) return "operator";
  if (status === 402) return "quota";
  if (status === 404 || (status === 400 && /^Model .+ is not supported/.test(message))) return "unknown_model";
  if (status === 429) return "capacity";
  if (status === 408 || status === 409 || status >= 500 || status < 300) return "transient";
  return "client";
}
