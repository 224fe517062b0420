import type { z } from "zod";
import type { modelSchema } from "./schema.ts";

/**
 * What is wrong with a model's fallbacks, one line each. Only requests for text have fallbacks: another
 * model's vectors, voices and image sizes are not interchangeable.
 */
export function fallbackFaults(
  { id, fallbacks }: z.infer<typeof modelSchema>,
  { known, generates }: { readonly known: ReadonlySet<string>; readonly generates: boolean },
): string[] {
  const faults = fallbacks.flatMap((fallback, index) => {
    if (fallback === id) return ["a model cannot be its own fallback"];
    if (fallbacks.indexOf(fallback) < index) return [`duplicate model ${fallback}`];
    return known.has(fallback) ? [] : [`unknown model ${fallback}`];
  });
  if (fallbacks.length > 0 && !generates) faults.push("only a model that generates text can have fallbacks");
  return faults.map((fault) => `  models[${id}].fallbacks: ${fault}`);
}
