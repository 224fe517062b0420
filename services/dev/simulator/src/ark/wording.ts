import type { z } from "zod";
import { firstIssue } from "../completions/issue.ts";
import type { Rejection } from "../http/types.ts";
import { invalidArk, rejectArk } from "./protocol.ts";

/** The rejection of a body that does not match its schema. */
export function arkIssue(error: z.ZodError, body: unknown): Rejection {
  const { param, problem } = firstIssue(error, body);
  switch (problem.kind) {
    case "missing": {
      const message = `The request failed because it is missing the \`${param}\` parameter.`;
      return rejectArk({ status: 400, code: `MissingParameter.${param}`, message, param });
    }
    case "type":
      return invalidArk(param, `it must be of type ${problem.expected}`);
    case "range":
    case "length":
      return invalidArk(param, `its ${problem.side === "min" ? "least" : "most"} is ${problem.limit}`);
    case "value":
      return invalidArk(param, `it must be one of ${problem.supported.join(", ")}`);
    case "pattern":
      return invalidArk(param, "its format is wrong");
    case "other":
      return invalidArk(param, problem.message);
  }
}
