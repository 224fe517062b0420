import type { CapabilityContext } from "@uag/capability/context.ts";
import { jsonBody } from "@uag/capability/operation/body-reader.ts";
import { defineOperation, type OperationContext } from "@uag/capability/operation/define-operation.ts";
import type { Operation } from "@uag/capability/operation/operation.ts";
import { modelOf } from "@uag/capability/request/model-of.ts";
import { bodyLimits } from "@uag/kit/json/parse.ts";
import { expectedBytes } from "@uag/upstreams/embed.ts";
import { callUpstreams, chargeOf } from "./call.ts";
import { readEmbeddingRequest } from "./request/read.ts";
import { embeddingsBody } from "./response/body.ts";
import { sizeOf, tighterSizes } from "./size.ts";

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
    read: ({ fields }, model) => readEmbeddingRequest(fields, model),
    size: sizeOf,
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
