import { flatError, nativeError, nestedError } from "@uag/contract/errors/shapes.ts";
import { type AdminRoute, adminRoutes, type Route, routes } from "@uag/contract/routes.ts";
import { z } from "zod";
import { adminOperations } from "./admin.ts";
import { examples } from "./examples.ts";
import { failuresOf, failuresOfProbes } from "./failures.ts";
import { headerComponents, headersOf } from "./headers.ts";
import { type JsonSchema, jsonSchema, schemaRef } from "./json-schema.ts";
import { type Named, type Operation, operations, type Responses } from "./operations.ts";
import { parameterComponents, parametersOf } from "./parameters.ts";
import { openPool, type Pool } from "./pool.ts";
import { probePaths } from "./probes.ts";
import { tagObjects } from "./tags.ts";

const errors = { NestedError: nestedError, NativeError: nativeError, FlatError: flatError } as const;

const info = {
  title: "Unified AI gateway",
  version: "1.0.0",
  license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
  description:
    "Chat, image, video, embedding and speech models of many providers behind one address and one key. Objects are open: fields that are not listed go to the provider as they are, and answers may have more of them. A field of a request that is null is as absent; where an administrator's may be null it takes a limit away.",
};

function anyOf(schemas: Named): JsonSchema {
  const refs = Object.keys(schemas).map(schemaRef);
  return refs.length === 1 ? (refs[0] as JsonSchema) : { anyOf: refs };
}

/** A row of either table. */
export type AnyRoute = Route | AdminRoute;

export const allRoutes: readonly AnyRoute[] = [...routes, ...adminRoutes];

const written: Readonly<Record<string, Operation>> = { ...operations, ...adminOperations };

/** The name that the table of routes has for what is asked. */
const nameOf = (route: AnyRoute): string => ("query" in route ? route.query : route.operation);

/** What the document says of a route. @throws when nothing is written of it */
export function operationOf(route: AnyRoute): Operation {
  const operation = written[nameOf(route)];
  if (operation === undefined) throw new Error(`nothing is written of ${nameOf(route)} in operations.ts`);
  return operation;
}

const lines = { schema: { type: "string" } };
const sound = { schema: { type: "string", format: "binary" } };

/**
 * OpenAPI 3.1 has no words of its own for the events of a stream: this is what is in the text, once
 * it has been taken apart.
 */
const stream = (events: Named): JsonSchema => ({
  type: "string",
  contentMediaType: "text/event-stream",
  contentSchema: { type: "array", items: anyOf(events) },
});

function contentOf({ json, events, audio, rows }: Responses): JsonSchema {
  return {
    ...(json !== undefined && { "application/json": { schema: anyOf(json) } }),
    ...(events !== undefined && { "text/event-stream": { schema: stream(events) } }),
    ...(rows === true && { "application/x-ndjson": lines, "text/csv": lines }),
    ...(audio === true && { "audio/mpeg": sound, "audio/wav": sound }),
  };
}

function answer(status: string, answers: Responses, { billed = false, native = false, waits = false }: Operation) {
  const event = Object.keys(answers.events ?? {})[0];
  const description = status === "202" ? "Accepted." : "Done.";
  return {
    description:
      event === undefined ? description : `${description} With \`stream\`, events whose data is a \`${event}\`.`,
    headers: headersOf({ native, billed, failed: false, status, located: waits }),
    content: contentOf(answers),
  };
}

const mediaTypes = { json: "application/json", multipart: "multipart/form-data" } as const;

function sizeText(bytes: number): string {
  const mebibyte = 1024 * 1024;
  return bytes < mebibyte ? `${bytes / 1024} KiB` : `${bytes / mebibyte} MiB`;
}

function requestBody(route: AnyRoute, { request, bodyIsOptional = false }: Operation): JsonSchema | undefined {
  const { body, maxBodyBytes } = route;
  if (body === "none" || request === undefined) return undefined;
  const shown = examples[nameOf(route)];
  const described = { schema: anyOf(request), ...(shown !== undefined && { examples: shown }) };
  const description = `At most ${sizeText(maxBodyBytes)}.`;
  return { description, required: !bodyIsOptional, content: { [mediaTypes[body]]: described } };
}

/** The same failures come on most paths. */
function shared(answers: Readonly<Record<string, JsonSchema>>, failures: Pool): JsonSchema {
  return Object.fromEntries(
    Object.entries(answers).map(([status, one]) => [status, failures.ref(`failure_${status}`, one)]),
  );
}

function described(route: AnyRoute, failures: Pool): JsonSchema {
  const operation = operationOf(route);
  const body = requestBody(route, operation);
  const { ok, accepted, status = 200 } = operation;
  const versioned = /^\/(admin\/)?v1\//.test(route.path);
  return {
    operationId: versioned ? operation.id : `${operation.id}Unversioned`,
    summary: operation.summary,
    tags: [operation.tag],
    parameters: parametersOf(route, operation),
    ...(operation.admin === true && { security: [{ admin: [] }] }),
    ...(body !== undefined && { requestBody: body }),
    responses: {
      [status]: answer(String(status), ok, operation),
      ...(accepted !== undefined && { 202: answer("202", accepted, operation) }),
      ...shared(failuresOf(route, operation), failures),
    },
  };
}

/** What administrators send. */
const closed = /^Admin\w+Request$/;

function schemaComponents(): JsonSchema {
  const named = Object.values(written).flatMap(({ request, ok, accepted }) =>
    [request, ok.json, ok.events, accepted?.json].flatMap((schemas) => Object.entries(schemas ?? {})),
  );
  const all: Named = { ...Object.fromEntries(named), ...errors };
  return Object.fromEntries(
    Object.entries(all).map(([name, schema]) => [name, jsonSchema(schema, { closed: closed.test(name) })]),
  );
}

/** The path of a route as OpenAPI writes it. */
export const templateOf = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}");

/** The OpenAPI 3.1 document of the public API. */
export function openApiDocument(): JsonSchema {
  const paths: Record<string, JsonSchema> = {};
  const failures = openPool("responses");
  for (const route of allRoutes) {
    const path = templateOf(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: described(route, failures) };
  }
  return {
    openapi: "3.1.0",
    info,
    jsonSchemaDialect: z.toJSONSchema(z.unknown()).$schema,
    servers: [{ url: "/", description: "The gateway that this document was read from." }],
    tags: tagObjects,
    security: [{ bearer: [] }],
    paths: { ...paths, ...probePaths(shared(failuresOfProbes(), failures)) },
    components: {
      schemas: schemaComponents(),
      responses: failures.components,
      headers: headerComponents,
      parameters: parameterComponents,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An API key: `Authorization: Bearer <API_KEY>`." },
        admin: { type: "http", scheme: "bearer", description: "An admin token, sent as an API key is." },
      },
    },
  };
}
