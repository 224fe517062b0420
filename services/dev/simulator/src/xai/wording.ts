import type { z } from "zod";
import { firstIssue } from "../completions/issue.ts";
import type { Rejection } from "../http/types.ts";
import { rejectXai } from "./protocol.ts";

/**
 * The rejection of a body that does not match its schema: 422 for its shape, 400 for a value out of
 * range.
 */
export function xaiIssue(error: z.ZodError, body: unknown): Rejection {
  const { param, value, problem } = firstIssue(error, body);
  const shape = "Failed to deserialize the JSON body into the target type:";
  switch (problem.kind) {
    case "missing":
      return rejectXai(422, `${shape} missing field \`${param}\``);
    case "type":
      return rejectXai(422, `${shape} ${param}: invalid type, expected ${problem.expected}`);
    case "value":
      return rejectXai(
        422,
        `${shape} ${param}: unknown variant \`${value}\`, expected one of ${problem.supported.join(", ")}`,
      );
    case "range":
    case "length":
      return rejectXai(400, `${param} must be at ${problem.side === "min" ? "least" : "most"} ${problem.limit}.`);
    case "pattern":
    case "other":
      return rejectXai(400, `${param} is invalid.`);
  }
}
