import type { z } from "zod";

type Wide<T> = T extends number
  ? number | bigint
  : T extends readonly (infer Item)[]
    ? readonly Wide<Item>[]
    : T extends object
      ? { readonly [Field in keyof T]: Wide<T[Field]> }
      : T;

/**
 * A value to be serialized for a response of this schema: a whole number may be a bigint, which
 * keeps its last digit.
 */
export type Shown<S extends z.ZodType> = Wide<z.infer<S>>;
