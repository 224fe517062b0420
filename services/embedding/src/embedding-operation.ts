import type { Model } from "@uag/catalog/types";
import type { CapabilityContext } from "@uag/pipeline/context";
import { defineOperation, type OperationContext } from "@uag/pipeline/operation/define-operation";
import type { Operation } from "@uag/pipeline/operation/operation";
import type { OperationSpec } from "@uag/pipeline/operation/operation-spec";
import type { JsonBody } from "@uag/pipeline/request/body";
import { modelOf } from "@uag/pipeline/request/model-of";
import { expectedBytes } from "@uag/providers/embed";
import { callUpstreams, chargeOf, type Embedded } from "./call.ts";
import type { EmbeddingRequest } from "./request/read.ts";
import { type EmbeddingSize, embeddingRequestSize, tighterSizes } from "./size.ts";

/** Dependencies of the embedding operations. */
export type EmbeddingContext = OperationContext & Pick<CapabilityContext, "drains" | "pools">;

export interface EmbeddingOptions {
  /** Concurrent upstream calls for one request. */
  readonly partsAtOnce: number;
}

/** A client format of embeddings. */
export interface EmbeddingFormat
  extends Pick<
    OperationSpec<JsonBody, EmbeddingRequest, EmbeddingSize, Embedded>,
    "name" | "body" | "fieldsOf" | "read" | "errorFormat"
  > {
  /** The response body, as a whole or in pieces. */
  bodyOf(embedded: Embedded, model: Model): readonly Buffer[] | Iterable<Buffer>;
}

/** The operation that returns embeddings in a client format. */
export function embeddingOperation(
  context: EmbeddingContext,
  { partsAtOnce }: EmbeddingOptions,
  { bodyOf, ...format }: EmbeddingFormat,
): Operation {
  return defineOperation(context, {
    ...format,
    modelOf,
    size: embeddingRequestSize,
    resize: tighterSizes,
    responseBytes: ({ model, request }) => expectedBytes(request, model.upstreams),
    call: (admitted) => callUpstreams(context, admitted, partsAtOnce),
    respond: ({ model }, embedded) => ({
      kind: "unary",
      upstream: embedded.upstream,
      attempts: embedded.attempts,
      charge: chargeOf(embedded.usage),
      headers: ["content-type", "application/json"],
      body: bodyOf(embedded, model),
    }),
  });
}
