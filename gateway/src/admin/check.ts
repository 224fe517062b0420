import { GatewayError } from "@uag/contract/errors/gateway-error";
import { queryOf } from "@uag/runtime/http/target";
import { checked } from "@uag/untrusted/schema-fault";
import type { z } from "zod";

/**
 * A request's query, each name once.
 * @throws {GatewayError} `invalid_request`
 */
export function checkedQuery<S extends z.ZodType>(schema: S, url: string): z.output<S> {
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of queryOf(url)) {
    if (name in values) {
      throw new GatewayError("invalid_request", `${name} must be given only once.`.slice(0, 300), { param: name });
    }
    values[name] = value;
  }
  return checked(schema, { ...values });
}

/**
 * A request's body. A null field counts as absent, except where null removes a limit.
 * @throws {GatewayError} `invalid_request`
 */
export function checkedBody<S extends z.ZodObject>(schema: S, body: unknown): z.output<S> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return checked(schema, body);
  const { shape }: { shape: Readonly<Record<string, z.ZodType>> } = schema;
  const reports = ([name, value]: [string, unknown]): boolean =>
    value !== null || !Object.hasOwn(shape, name) || shape[name]?.safeParse(null).success === true;
  return checked(schema, Object.fromEntries(Object.entries(body).filter(reports)));
}

/** The page for an RPC. */
export function pageOf(query: { limit?: number | undefined; after?: string | undefined }) {
  return { limit: query.limit ?? 0, cursor: query.after ?? "" };
}
