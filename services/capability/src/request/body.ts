import { isUtf8 } from "node:buffer";
import { GatewayError } from "@uag/kit/errors.ts";

const deepest = 64;
/** An escape that may be half of a surrogate pair. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

export type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a request body: UTF-8, one JSON object, at most 64 levels deep, finite numbers, whole characters. Of a key that is
 * there twice the last counts.
 * @throws {GatewayError} `invalid_json` (422) for what is not JSON, `invalid_request` for JSON that is not acceptable
 */
export function readJsonObject(bytes: Buffer): Fields {
  if (bytes.length === 0) throw new GatewayError("invalid_json", "The request body is empty.");
  if (!isUtf8(bytes)) throw new GatewayError("invalid_json", "The request body is not valid UTF-8.");
  const text = bytes.toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new GatewayError("invalid_json", undefined, { cause: error });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new GatewayError("invalid_request", "The request body must be a JSON object.");
  }
  inspect(value, 1, surrogateEscape.test(text));
  return value as Fields;
}

function inspect(value: unknown, depth: number, surrogates: boolean): void {
  if (typeof value === "string") {
    if (surrogates && !value.isWellFormed()) {
      throw new GatewayError("invalid_json", "The request body has a string with half a character (a lone surrogate).");
    }
  } else if (typeof value === "number") {
    if (!Number.isFinite(value))
      throw new GatewayError("invalid_request", "The request body has a number out of range.");
  } else if (typeof value === "object" && value !== null) {
    if (depth > deepest) {
      throw new GatewayError("invalid_request", `The request body is nested more than ${deepest} levels deep.`);
    }
    if (Array.isArray(value)) for (const item of value) inspect(item, depth + 1, surrogates);
    else {
      for (const key in value) {
        if (surrogates) inspect(key, depth, surrogates);
        inspect((value as Record<string, unknown>)[key], depth + 1, surrogates);
      }
    }
  }
}
