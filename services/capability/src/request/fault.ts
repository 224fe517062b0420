import { GatewayError } from "@uag/kit/errors.ts";
import type { z } from "zod";

/** The first fault that a schema found, as an error that names the field: `messages[0].role`. */
export function schemaFault(error: z.ZodError): GatewayError {
  const [issue] = error.issues;
  if (issue === undefined) return new GatewayError("invalid_request", undefined, { cause: error });
  const param = fieldPath(issue.path);
  return new GatewayError("invalid_request", `${param}: ${wordsOf(issue)}.`, { param });
}

function fieldPath(path: readonly PropertyKey[]): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += text === "" ? String(step) : `.${String(step)}`;
  }
  return text;
}

function wordsOf(issue: z.core.$ZodIssue): string {
  if (issue.message.endsWith("received undefined")) return "is required";
  return issue.message.replace(/^(Invalid (input|option)|Too (small|big)): /, "");
}
