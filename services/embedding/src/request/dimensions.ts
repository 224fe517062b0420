import type { EmbeddingTraits } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";

const param = "dimensions";

/**
 * The vector size to request; undefined for the model's own.
 * @throws {GatewayError} `invalid_request` for a size that the model does not support
 */
export function readDimensions(requested: number | null | undefined, traits: EmbeddingTraits): number | undefined {
  if (requested === null || requested === undefined || requested === traits.dimensions) return undefined;
  const { sizes } = traits;
  if (sizes === undefined) {
    throw fault(`dimensions: is not supported by this model, whose vectors have ${traits.dimensions}.`);
  }
  if (sizes === "any" && requested > traits.dimensions)
    throw fault(`dimensions: must be at most ${traits.dimensions}.`);
  if (sizes !== "any" && !sizes.includes(requested)) throw fault(`dimensions: must be one of ${sizes.join(", ")}.`);
  return requested;
}

function fault(text: string): GatewayError {
  return new GatewayError("invalid_request", text, { param });
}
