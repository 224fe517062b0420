import type { z } from "zod";

/** Reports what an inner schema found as found at `prefix`: for schemas that are chosen while checking. */
export function addIssues(context: z.RefinementCtx, error: z.ZodError, prefix: readonly PropertyKey[] = []): void {
  for (const { path, message } of error.issues)
    context.addIssue({ code: "custom", path: [...prefix, ...path], message });
}
