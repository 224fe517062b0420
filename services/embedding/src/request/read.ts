import type { Fields } from "@uag/capability/request/body.ts";
import { findModel } from "@uag/capability/request/find-model.ts";
import type { Catalog, EmbeddingTraits, Model } from "@uag/catalog/types.ts";
import { checked } from "@uag/kit/schema-fault.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import type { EmbeddingInput, InputType, VectorFormat } from "@uag/upstreams/embeddings/types.ts";
import { readDimensions } from "./dimensions.ts";
import { readInput } from "./input.ts";
import { embeddingSchema } from "./schema.ts";

export const operation = "embeddings";

/** A request that can be served. */
export interface EmbeddingRequest {
  readonly model: Model;
  readonly traits: EmbeddingTraits;
  readonly inputs: readonly EmbeddingInput[];
  readonly format: VectorFormat;
  /** Undefined: the model's own size. */
  readonly dimensions: number | undefined;
  readonly inputType: InputType | undefined;
}

/**
 * Checks a request against the contract.
 * @throws {GatewayError} naming the field at fault
 */
export function readEmbeddingRequest(fields: Fields, catalog: Catalog, caller: Caller): EmbeddingRequest {
  const data = checked(embeddingSchema, fields);
  const model = findModel(catalog, data.model, caller, operation);
  const traits = model.embedding;
  if (traits === undefined) throw new Error(`the catalogue says nothing of how ${model.id} embeds`);
  return {
    model,
    traits,
    inputs: readInput(data.input, traits.tokenInput),
    format: data.encoding_format ?? "float",
    dimensions: readDimensions(data.dimensions, traits),
    inputType: data.input_type ?? undefined,
  };
}
