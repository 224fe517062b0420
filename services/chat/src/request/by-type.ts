import { addFault, parseToFault } from "@uag/untrusted/first-fault";
import type { z } from "zod";

/**
 * A refinement that checks an object by the schema of its type. An object of a type without one is
 * left to its next reader.
 */
export function byType(schemas: Readonly<Record<string, z.ZodType>>, untyped?: string) {
  return (value: { readonly type?: string | null | undefined }, context: z.RefinementCtx): void => {
    const type = value.type ?? untyped;
    const schema = type !== undefined && Object.hasOwn(schemas, type) ? schemas[type] : undefined;
    if (schema !== undefined) addFault(context, parseToFault(schema, value));
  };
}
