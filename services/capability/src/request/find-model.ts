import { mayUse } from "@uag/catalog/access.ts";
import type { Catalog, Model } from "@uag/catalog/types.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";

/**
 * The model that a request names. One that the key may not use is answered as one that does not
 * exist: which models there are is told to those who may use them.
 * @throws {GatewayError} `model_not_found` or `endpoint_model_mismatch`
 */
export function findModel(catalog: Catalog, id: string, caller: Caller, operation: string): Model {
  const model = catalog.models.get(id);
  if (model === undefined || !mayUse(caller.models, id)) throw modelNotFound(id, operation);
  if (!model.operations.has(operation)) {
    throw new GatewayError("endpoint_model_mismatch", `The model '${id}' is not served on this path.`, {
      param: "model",
    });
  }
  return model;
}

/** What a request is told whose model does not exist, or not for its key. */
export function modelNotFound(id: string, operation: string): GatewayError {
  const shown = id.length > 100 ? `${id.slice(0, 100)}…` : id;
  // Clients of the messages format know Anthropic's own words for this.
  const text = operation.startsWith("messages")
    ? `model: ${shown}`
    : `There is no model '${shown}'. GET /v1/models lists the models this key can use.`;
  return new GatewayError("model_not_found", text, { param: "model" });
}
