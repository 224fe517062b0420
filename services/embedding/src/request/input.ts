import { GatewayError } from "@uag/contract/errors/gateway-error";
import { maxEmbeddingInputs } from "@uag/contract/requests/embeddings";
import type { EmbeddingInput } from "@uag/providers/embeddings/types";

const maxToken = 2 ** 31 - 1;

/**
 * Reads `input` as a list of inputs: texts, or lists of token ids.
 * @param tokensAllowed whether the model accepts token ids
 * @throws {GatewayError} `invalid_request`, naming the item at fault
 */
export function readInput(value: unknown, tokensAllowed: boolean): readonly EmbeddingInput[] {
  if (typeof value === "string") return [checkedText(value, "input")];
  if (!Array.isArray(value)) throw fault("input", value === undefined ? "is required" : "must be a string or an array");
  if (value.length === 0) throw fault("input", "must not be empty");
  if (typeof value[0] === "number") return [checkedTokens(value, "input", tokensAllowed)];
  if (value.length > maxEmbeddingInputs) throw fault("input", `must have at most ${maxEmbeddingInputs} items`);
  const texts = typeof value[0] === "string";
  for (const [index, item] of value.entries()) {
    const param = `input[${index}]`;
    if (texts) checkedText(item, param);
    else checkedTokens(item, param, tokensAllowed);
  }
  return value;
}

function checkedText(value: unknown, param: string): string {
  if (typeof value !== "string") throw fault(param, "must be a string");
  if (value === "") throw fault(param, "must not be empty");
  return value;
}

function checkedTokens(value: unknown, param: string, allowed: boolean): readonly number[] {
  if (!Array.isArray(value))
    throw fault(param, allowed ? "must be a string or a list of token ids" : "must be a string");
  if (value.length === 0) throw fault(param, "must not be empty");
  for (const [index, token] of value.entries()) {
    const isToken = Number.isInteger(token) && token >= 0 && token <= maxToken;
    if (!isToken) throw fault(`${param}[${index}]`, "must be a token id");
  }
  if (!allowed) throw fault(param, "must be text: this model does not accept token ids");
  return value;
}

function fault(param: string, what: string): GatewayError {
  return new GatewayError("invalid_request", `${param}: ${what}.`, { param });
}
