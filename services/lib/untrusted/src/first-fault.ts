import { z } from "zod";
import { unionFault } from "./union-fault.ts";

/** The context that zod's own `validate` uses, which only checks whether there is a fault. */
const stopping = { abortEarly: true } as z.core.ParseContext<z.core.$ZodIssue>;

/**
 * Parses up to the first fault. A client gets one fault, but a list of a million invalid items
 * has a million, each of them expensive. A refinement within a list must report its fault with
 * `continue: false`, or zod proceeds to the next item.
 */
export function parseToFault<S extends z.ZodType>(schema: S, value: unknown): z.ZodSafeParseResult<z.output<S>> {
  const result = schema.safeParse(value, stopping);
  const [issue] = result.error?.issues ?? [];
  if (issue?.code !== "invalid_union") return result;
  return { success: false, error: new z.ZodError([unionFault(issue)]) as z.ZodError<z.output<S>> };
}

/**
 * Reports a fault that {@link parseToFault} found with an inner schema: for schemas chosen during
 * validation.
 */
export function addFault(
  context: z.RefinementCtx,
  result: z.ZodSafeParseResult<unknown> | undefined,
  prefix: readonly PropertyKey[] = [],
): void {
  const [issue] = result?.error?.issues ?? [];
  if (issue === undefined) return;
  context.addIssue({ code: "custom", path: [...prefix, ...issue.path], message: issue.message, continue: false });
}
