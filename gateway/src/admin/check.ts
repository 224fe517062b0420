import { GatewayError } from "@uag/kit/errors.ts";
import type { z } from "zod";

/** `["models", 0]` -> `models[0]` */
function pathText(path: readonly PropertyKey[]): string {
  let text = "";
  for (const part of path) text += typeof part === "number" ? `[${part}]` : `${text === "" ? "" : "."}${String(part)}`;
  return text;
}

/**
 * What a client sent, if it fits.
 * @throws {GatewayError} `invalid_request` naming the first field at fault
 */
export function checked<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue?.code === "unrecognized_keys") {
    const param = pathText([...issue.path, issue.keys[0] ?? ""]).slice(0, 200);
    throw new GatewayError("invalid_request", `There is no field ${param} here.`, { param });
  }
  const param = pathText(issue?.path ?? []);
  const message = issue?.message ?? "The request is not valid.";
  throw new GatewayError("invalid_request", param === "" ? message : `${param}: ${message}`, {
    param: param === "" ? undefined : param,
  });
}

/**
 * A request's query, each name once.
 * @throws {GatewayError} `invalid_request`
 */
export function checkedQuery<S extends z.ZodType>(schema: S, url: string): z.output<S> {
  const query = new URLSearchParams(url.split("?", 2)[1]);
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of query) {
    if (name in values) {
      throw new GatewayError("invalid_request", `${name} is given more than once.`.slice(0, 300), { param: name });
    }
    values[name] = value;
  }
  return checked(schema, { ...values });
}
