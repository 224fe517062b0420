import { mayUse } from "@uag/catalog/access";
import type { Catalog, Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Caller } from "@uag/proto/common/v1/caller.ts";

/**
 * The model that a request names. A model the key may not use is reported as nonexistent, so that
 * its existence is revealed only to keys that may use it.
 * @throws {GatewayError} `model_not_found` or `endpoint_model_mismatch`
 */
export function findModel(catalog: Catalog, id: string, caller: Caller, operation: string): Model {
  const model = catalog.models.get(id);
  if (model === undefined || !mayUse(caller.models, id)) throw modelNotFound(id, operation);
  if (!model.operations.has(operation)) {
    throw new GatewayError("endpoint_model_mismatch", `The model '${id}' is not available on this path.`, {
      param: "model",
    });
  }
  return model;
}

/** The error for a model that does not exist, or not for this key. */
export function modelNotFound(id: string, operation: string): GatewayError {
  const shown = id.length > 100 ? `${id.slice(0, 100)}…` : id;
  // Clients of the messages format expect Anthropic's own wording.
  const text = operation.startsWith("messages")
    ? `model: ${shown}`
    : `There is no model '${shown}'. GET /v1/models lists the models this key can use.`;
  return new GatewayError("model_not_found", text, { param: "model" });
}
