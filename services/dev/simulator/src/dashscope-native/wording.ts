import type { z } from "zod";
import { firstIssue } from "../completions/issue.ts";

/** The validation error in the native endpoint's wording. */
export function nativeWording(error: z.ZodError, body: unknown): string {
  const { param, problem } = firstIssue(error, body);
  switch (problem.kind) {
    case "missing":
      return `Field required: ${param}`;
    case "type":
      return `Input should be a valid ${problem.expected}: ${param}`;
    case "range":
      return `Input should be ${problem.side === "min" ? "greater" : "less"} than or equal to ${problem.limit}: ${param}`;
    case "length":
      return `Range of ${param} length should be ${problem.side === "min" ? `at least ${problem.limit}` : `[1, ${problem.limit}]`}`;
    case "value":
      return `Input should be ${problem.supported.map((value) => `'${value}'`).join(" or ")}: ${param}`;
    case "pattern":
      return `The format of ${param} is wrong`;
    case "other":
      return `${problem.message}: ${param}`;
  }
}
