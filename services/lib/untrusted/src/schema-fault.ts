import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { z } from "zod";
import { parseToFault } from "./first-fault.ts";

const maxParamLength = 200;

/**
 * Parses a client's input.
 * @throws {GatewayError} `invalid_request` for the first fault
 */
export function checked<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = parseToFault(schema, value);
  if (result.success) return result.data;
  throw schemaFault(result.error);
}

/** Converts a schema's first fault to an error that names the field: `messages[0].role`. */
function schemaFault(error: z.ZodError): GatewayError {
  const [issue] = error.issues;
  if (issue === undefined) return new GatewayError("invalid_request", undefined, { cause: error });
  if (issue.code === "unrecognized_keys") {
    const param = fieldPath([...issue.path, issue.keys[0] ?? ""]);
    return new GatewayError("invalid_request", `Unknown field ${param}.`, { param });
  }
  const param = fieldPath(issue.path);
  const words = wordsOf(issue);
  if (param === "") return new GatewayError("invalid_request", words);
  return new GatewayError("invalid_request", `${param}: ${words}${words.endsWith(".") ? "" : "."}`, { param });
}

function fieldPath(path: readonly PropertyKey[]): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += text === "" ? String(step) : `.${String(step)}`;
  }
  return text.slice(0, maxParamLength);
}

function wordsOf(issue: z.core.$ZodIssue): string {
  if (issue.message.endsWith("received undefined")) return "is required";
  return issue.message.replace(/^(Invalid (input|option)|Too (small|big)): /, "");
}
