import { endUserHeader, maxEndUserLength } from "@uag/contract/end-users";
import { maxIdempotencyKeyLength } from "@uag/contract/idempotency-key";
import { pathFields } from "@uag/contract/requests/admin-fields";
import { pathParameters } from "@uag/contract/routes";
import { z } from "zod";
import { parameterExample } from "./examples/examples.ts";
import { type JsonSchema, jsonSchema } from "./json-schema.ts";
import type { Operation } from "./operation.ts";
import { type AnyRoute, nameOf } from "./routes.ts";

interface HeaderParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType;
}

const headers = {
  clientRequestId: {
    name: "x-client-request-id",
    description: "The client's request id; stored with the gateway's.",
    schema: z.string().max(512),
  },
  idempotencyKey: {
    name: "Idempotency-Key",
    description: "Requests with the same key are executed and billed once; the response is stored for 24 hours.",
    schema: z.string().min(1).max(maxIdempotencyKeyLength),
  },
  endUser: {
    name: endUserHeader,
    description:
      "The end user, where the body has no `safety_identifier`, `user` or `metadata.user_id`; counted if a budget has a rule for end users.",
    schema: z.string().min(1).max(maxEndUserLength),
  },
  prefer: {
    name: "Prefer",
    description: "`wait=<seconds>`: the response waits for the task to end, at most 600 seconds (RFC 7240).",
    schema: z.string(),
  },
  anthropicVersion: {
    name: "anthropic-version",
    description: "Passed to the provider unchanged.",
    schema: z.string(),
  },
  anthropicBeta: { name: "anthropic-beta", description: "Passed to the provider unchanged.", schema: z.string() },
} as const satisfies Record<string, HeaderParameter>;

/** The request headers in the document. */
export const parameterComponents: JsonSchema = Object.fromEntries(
  Object.entries(headers).map(([key, { name, description, schema }]) => [
    key,
    { name, in: "header", description, schema: jsonSchema(schema) },
  ]),
);

const ref = (name: keyof typeof headers): JsonSchema => ({ $ref: `#/components/parameters/${name}` });

/** A parameter's schema, and its description next to it. */
function described(field: z.ZodType): JsonSchema {
  const { description, ...schema } = jsonSchema(field);
  return { ...(description !== undefined && { description }), schema };
}

/** A route's parameters, without its body. */
export function parametersOf(route: AnyRoute, { query = {}, waits, native, admin }: Operation): JsonSchema[] {
  const inPath = pathParameters(route.path).map((name) => ({
    name,
    in: "path",
    required: true,
    ...described(admin === true ? pathFields[name as keyof typeof pathFields] : z.string().min(1)),
    ...parameterExample(nameOf(route), "path", name),
  }));
  const inQuery = Object.entries(query).map(([name, schema]) => {
    const required = admin === true && !schema.safeParse(undefined).success;
    return {
      name,
      in: "query",
      ...(required && { required }),
      ...described(schema),
      ...parameterExample(nameOf(route), "query", name),
    };
  });
  return [
    ...inPath,
    ...inQuery,
    ...(route.method === "POST" && route.body !== "upload" && admin !== true ? [ref("idempotencyKey")] : []),
    ...("billing" in route && route.billing !== "none" ? [ref("endUser")] : []),
    ...(waits === true ? [ref("prefer")] : []),
    ...(native === true ? [ref("anthropicVersion"), ref("anthropicBeta")] : []),
    ref("clientRequestId"),
  ];
}
