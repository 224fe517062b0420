import type { EmbeddingTraits, Model } from "@uag/catalog/types";
import { embeddingRequest } from "@uag/contract/requests/embeddings";
import type { Fields } from "@uag/pipeline/request/body";
import type { EmbeddingInput, InputType, VectorFormat } from "@uag/providers/embeddings/types";
import { checked } from "@uag/untrusted/schema-fault";
import { tokenBound } from "../parts/split.ts";
import { readDimensions } from "./dimensions.ts";
import { readInput } from "./input.ts";

/** A valid request. */
export interface EmbeddingRequest {
  readonly traits: EmbeddingTraits;
  readonly inputs: readonly EmbeddingInput[];
  /** Maximum tokens of each input. */
  readonly bounds: readonly number[];
  readonly format: VectorFormat;
  /** Undefined: the model's own size. */
  readonly dimensions: number | undefined;
  readonly inputType: InputType | undefined;
  /** See `EmbeddingCall`. */
  readonly contents?: readonly Fields[];
}

/**
 * Validates a request.
 * @throws {GatewayError} naming the field at fault
 */
export function readEmbeddingRequest(fields: Fields, model: Model): EmbeddingRequest {
  const data = checked(embeddingRequest, fields);
  const traits = traitsOf(model);
  const inputs = readInput(data.input, traits.tokenInput);
  return {
    traits,
    inputs,
    bounds: inputs.map((input) => tokenBound(input, model.contextTokens)),
    format: data.encoding_format ?? "float",
    dimensions: readDimensions(data.dimensions, traits),
    inputType: data.input_type ?? undefined,
  };
}

/** What the catalogue declares of an embedding model. */
export function traitsOf({ id, embedding }: Model): EmbeddingTraits {
  if (embedding === undefined) throw new Error(`the catalogue entry of ${id} has no embedding`);
  return embedding;
}
