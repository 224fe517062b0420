import type { EmbeddingTraits } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";

/**
 * The vector size to request; undefined for the model's own.
 * @param param the field's name in errors
 * @throws {GatewayError} `invalid_request` for a size that the model does not support
 */
export function readDimensions(
  requested: number | null | undefined,
  traits: EmbeddingTraits,
  param = "dimensions",
): number | undefined {
  if (requested === null || requested === undefined || requested === traits.dimensions) return undefined;
  const { sizes } = traits;
  const fault = (what: string) => new GatewayError("invalid_request", `${param}: ${what}.`, { param });
  if (sizes === undefined) throw fault(`is not supported by this model, whose vectors have ${traits.dimensions}`);
  if (sizes === "any" && requested > traits.dimensions) throw fault(`must be at most ${traits.dimensions}`);
  if (sizes !== "any" && !sizes.includes(requested)) throw fault(`must be one of ${sizes.join(", ")}`);
  return requested;
}
