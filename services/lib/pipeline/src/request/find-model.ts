import { mayUseModel, modelNamed, withholdingLevel } from "@uag/catalog/names";
import type { Catalog, Model } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Caller, Level } from "@uag/proto/common/v1/caller.ts";
import { fittingModel, meantModel, usableModels } from "./suggest-model.ts";

/**
 * The model that a request names. A model the key may not use is reported as nonexistent, so that
 * its existence is revealed only to keys that may use it. If only a budget above the key does not
 * allow it, the error names that budget.
 * @throws {GatewayError} `model_not_found` or `endpoint_model_mismatch`
 */
export function findModel(catalog: Catalog, id: string, caller: Caller, operation: string): Model {
  const model = modelNamed(catalog, id);
  if (model === undefined || !mayUseModel(caller, model)) {
    const level = model && withholdingLevel(caller, model);
    if (level !== undefined) throw modelWithheld(id, operation, level);
    throw modelNotFound(id, operation, meantModel(id, usableModels(catalog, caller, operation)));
  }
  if (!model.operations.has(operation)) {
    const fitting = fittingModel(model, usableModels(catalog, caller, operation));
    throw new GatewayError("endpoint_model_mismatch", mismatchText(model, fitting), { param: "model" });
  }
  return model;
}

/**
 * The error for a model that does not exist, or not for this key.
 * @param meant the id of a model that the client probably meant
 */
export function modelNotFound(id: string, operation: string, meant?: string): GatewayError {
  const shown = id.length > 100 ? `${id.slice(0, 100)}…` : id;
  const question = meant === undefined ? "" : ` Did you mean '${meant}'?`;
  // Clients of the messages format expect Anthropic's own wording.
  const text = operation.startsWith("messages")
    ? `model: ${shown}${question === "" ? "" : `.${question}`}`
    : `There is no model '${shown}'.${question} GET /v1/models lists the models this key can use.`;
  return new GatewayError("model_not_found", text, { param: "model" });
}

/** The error for a model that the key may use, and a budget above it does not allow. */
function modelWithheld(id: string, operation: string, { id: budget, name }: Level): GatewayError {
  const reason = `The budget "${name}" (${budget}) does not allow`;
  const text = operation.startsWith("messages")
    ? `model: ${id}. ${reason} it.`
    : `${reason} the model '${id}'. GET /v1/models lists the models this key can use.`;
  return new GatewayError("model_not_found", text, { param: "model" });
}

/** Names where the model is available, and a model that is available here. */
function mismatchText({ id, operations }: Model, fitting: string | undefined): string {
  const [own] = operations;
  const there = own === undefined ? [] : [`Use it at POST ${pathOfOperation(own)}.`];
  const here = fitting === undefined ? [] : [`A model that is available here is '${fitting}'.`];
  return [`The model '${id}' is not available on this path.`, ...there, ...here].join(" ");
}

/** The path of an operation that a model may have: `images.edits` is served at `/v1/images/edits`. */
export function pathOfOperation(operation: string): string {
  return `/v1/${operation.replaceAll(".", "/")}`;
}
