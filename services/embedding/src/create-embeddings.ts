import type { CapabilityContext } from "@uag/pipeline/context";
import { jsonBody } from "@uag/pipeline/operation/body-reader";
import { defineOperation, type OperationContext } from "@uag/pipeline/operation/define-operation";
import type { Operation } from "@uag/pipeline/operation/operation";
import { modelOf } from "@uag/pipeline/request/model-of";
import { expectedBytes } from "@uag/providers/embed";
import { fieldCosts } from "@uag/providers/passed-fields/media";
import { bodyLimits } from "@uag/untrusted/json/parse";
import { callUpstreams, chargeOf } from "./call.ts";
import { readEmbeddingRequest } from "./request/read.ts";
import { embeddingsBody } from "./response/body.ts";
import { embeddingRequestSize, tighterSizes } from "./size.ts";

/** Dependencies of the embedding operations. */
export type EmbeddingContext = OperationContext & Pick<CapabilityContext, "drains" | "pools">;

export interface EmbeddingOptions {
  /** Concurrent upstream calls for one request. */
  readonly partsAtOnce: number;
}

/** A request may contain its texts as token ids. */
const limits = { ...bodyLimits, numbers: 500_000 };

/** `POST /v1/embeddings` */
export function createEmbeddings(context: EmbeddingContext, { partsAtOnce }: EmbeddingOptions): Operation {
  return defineOperation(context, {
    name: "embeddings",
    body: jsonBody({ limits }),
    modelOf,
    fieldsOf: ({ fields }) => ({ sent: fields, known: fieldCosts.embeddings }),
    read: ({ fields }, model) => readEmbeddingRequest(fields, model),
    size: embeddingRequestSize,
    resize: tighterSizes,
    responseBytes: ({ model, request }) => expectedBytes(request, model.upstreams),
    call: (admitted) => callUpstreams(context, admitted, partsAtOnce),
    respond: ({ model }, { parts, usage, upstream, attempts }) => ({
      kind: "unary",
      upstream,
      attempts,
      charge: chargeOf(usage),
      headers: ["content-type", "application/json"],
      body: embeddingsBody(parts, { model: model.id, tokens: usage.tokens }),
    }),
  });
}
