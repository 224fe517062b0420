import type { z } from "zod";

/** What zod's own `validate` sets, which tells no more than whether there is a fault. */
const stopping = { abortEarly: true } as z.core.ParseContext<z.core.$ZodIssue>;

/**
 * Parses up to the first fault. A client is told one fault; a list of a million wrong items has a
 * million, each of them dear. A refinement within a list must pass on its fault with
 * `continue: false`, or zod goes on to the next item.
 */
export function parseToFault<S extends z.ZodType>(schema: S, value: unknown): z.ZodSafeParseResult<z.output<S>> {
  return schema.safeParse(value, stopping);
}

/**
 * Reports what {@link parseToFault} found with an inner schema: for schemas that are chosen while
 * checking.
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
