import { pathOf, queryOf } from "@uag/runtime/http/target";
import { checked } from "@uag/untrusted/schema-fault";
import type { z } from "zod";

/** Longest query that is read, characters. */
const maxLength = 2_000;

/**
 * Reads the query of a path by its schema. Names that the schema does not list are ignored; of a
 * name that is given twice the first counts.
 * @throws {GatewayError} `invalid_request`, naming the parameter
 */
export function readQuery<S extends z.ZodObject>(schema: S, target: string): z.output<S> {
  const given = queryOf(target.slice(0, pathOf(target).length + 1 + maxLength));
  const values = Object.keys(schema.shape).flatMap((name) => {
    const value = given.get(name);
    return value === null ? [] : [[name, value]];
  });
  return checked(schema, Object.fromEntries(values));
}
