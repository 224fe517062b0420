import type { Named } from "./operation.ts";

/** Bodies by family, as `AlphaImageRequest`. */
export const named = (schemas: Named, suffix: string): Named =>
  Object.fromEntries(
    Object.entries(schemas).map(([family, schema]) => [
      `${family.charAt(0).toUpperCase()}${family.slice(1)}${suffix}`,
      schema,
    ]),
  );
