import { flatError, googleError, nativeError, nestedError } from "@uag/contract/errors/shapes";
import { filledPath } from "@uag/contract/routes";
import { z } from "zod";
import type { DocumentName } from "../docs/documents.ts";
import { adminOperations } from "./admin.ts";
import { codeSamples } from "./examples/code-samples.ts";
import { requestExamples, responseExamples } from "./examples/examples.ts";
import { failuresOf, failuresOfProbes } from "./failures.ts";
import { headerComponents, headersOf } from "./headers.ts";
import { type JsonSchema, jsonSchema, schemaRef } from "./json-schema.ts";
import type { Named, Operation, Responses } from "./operation.ts";
import { operations } from "./operations.ts";
import { parameterComponents, parametersOf } from "./parameters.ts";
import { openPool, type Pool } from "./pool.ts";
import { probePaths } from "./probes.ts";
import { type AnyRoute, isBilled, nameOf, routesOf } from "./routes.ts";
import { tagObjects } from "./tags.ts";

const errors = {
  NestedError: nestedError,
  NativeError: nativeError,
  FlatError: flatError,
  GoogleError: googleError,
} as const;

const license = { name: "Apache License 2.0", identifier: "Apache-2.0" };

/** The general information of each document. */
const infos: Readonly<Record<DocumentName, JsonSchema>> = {
  public: {
    title: "Unified AI gateway",
    version: "1.0.0",
    license,
    description:
      "Chat, image, video, embedding and speech models of many providers behind one base URL and one key. Objects are open: unlisted fields are passed to the provider unchanged, and responses may contain more of them. A null field in a request counts as absent.",
  },
  admin: {
    title: "Unified AI gateway: admin API",
    version: "1.0.0",
    license,
    description:
      "Accounts, keys, money, usage and the gateway's processes, for operators. A token's role determines its permissions, and a token may be limited to one account. Listings are paged: pass `next_cursor` as `after`. Amounts appear twice, in USD as text with nine decimals and as integer nano-USD. A null in a request removes a limit; unknown fields are rejected.",
  },
};

const securitySchemes: Readonly<Record<DocumentName, JsonSchema>> = {
  public: {
    bearer: { type: "http", scheme: "bearer", description: "An API key: `Authorization: Bearer <API_KEY>`." },
    googleKey: {
      type: "apiKey",
      in: "header",
      name: "x-goog-api-key",
      description: "An API key, on the paths of Gemini's format and of the models.",
    },
  },
  admin: {
    admin: {
      type: "http",
      scheme: "bearer",
      description: "An admin token: `Authorization: Bearer <ADMIN_TOKEN>`.",
    },
  },
};

/** The scheme of every operation. */
const rootSchemes: Readonly<Record<DocumentName, string>> = { public: "bearer", admin: "admin" };

/** A route's own schemes, where it accepts the key in another header too. */
const securityOf = ({ keyHeader }: AnyRoute): JsonSchema =>
  keyHeader === undefined ? {} : { security: [{ bearer: [] }, { googleKey: [] }] };

function anyOf(schemas: Named): JsonSchema {
  const refs = Object.keys(schemas).map(schemaRef);
  return refs.length === 1 ? (refs[0] as JsonSchema) : { anyOf: refs };
}

const written: Readonly<Record<DocumentName, Readonly<Record<string, Operation>>>> = {
  public: operations,
  admin: adminOperations,
};

/** The documentation of a route. @throws when there is none */
export function operationOf(route: AnyRoute): Operation {
  const operation = { ...written.public, ...written.admin }[nameOf(route)];
  if (operation === undefined) throw new Error(`no file in openapi/endpoints describes ${nameOf(route)}`);
  return operation;
}

const lines = { schema: { type: "string" } };
const binary = { schema: { type: "string", format: "binary" } };

/**
 * OpenAPI 3.1 cannot describe the events of a stream (3.2 has `itemSchema`). Their data is
 * described in an extension, which tools skip: a `contentSchema` is checked against the whole body.
 * https://spec.openapis.org/oas/v3.2.0#sequential-media-types
 */
const stream = (events: Named): JsonSchema => ({ type: "string", "x-event-data": anyOf(events) });

function contentOf(
  { json, events, audio, bytes, text, rows }: Responses,
  examplesOf: (mediaType: string) => JsonSchema,
) {
  const schemas: Readonly<Record<string, JsonSchema>> = {
    ...(json !== undefined && { "application/json": { schema: anyOf(json) } }),
    ...(events !== undefined && { "text/event-stream": { schema: stream(events) } }),
    ...(rows === true && { "application/x-ndjson": lines, "text/csv": lines }),
    ...(text === true && { "text/plain": lines }),
    ...(bytes === true && { "application/octet-stream": binary }),
    ...(audio === true && { "audio/mpeg": binary, "audio/wav": binary }),
  };
  return Object.fromEntries(
    Object.entries(schemas).map(([mediaType, schema]) => [mediaType, { ...schema, ...examplesOf(mediaType) }]),
  );
}

function respond(route: AnyRoute, status: string, responses: Responses): JsonSchema {
  const { native = false, waits = false, query = {} } = operationOf(route);
  const asked = "alt" in query ? "alt=sse" : "stream";
  const event = Object.keys(responses.events ?? {})[0];
  const description = status === "202" ? "Accepted." : "Done.";
  return {
    description:
      event === undefined ? description : `${description} With \`${asked}\`, events whose data is a \`${event}\`.`,
    headers: headersOf({ native, billed: isBilled(route), failed: false, status, located: waits }),
    content: contentOf(responses, (mediaType) => responseExamples(nameOf(route), status, mediaType)),
  };
}

const mediaTypes = {
  json: "application/json",
  multipart: "multipart/form-data",
  upload: "multipart/form-data",
} as const;

function sizeText(bytes: number): string {
  const mebibyte = 1024 * 1024;
  return bytes < mebibyte ? `${bytes / 1024} KiB` : `${bytes / mebibyte} MiB`;
}

function requestBody(route: AnyRoute, { request, bodyIsOptional = false }: Operation): JsonSchema | undefined {
  const { body, maxBodyBytes } = route;
  if (body === "none" || request === undefined) return undefined;
  const described = { schema: anyOf(request), ...requestExamples(nameOf(route)) };
  const description = `At most ${sizeText(maxBodyBytes)}.`;
  return { description, required: !bodyIsOptional, content: { [mediaTypes[body]]: described } };
}

/** Most paths share the same failures. */
function shared(responses: Readonly<Record<string, JsonSchema>>, failures: Pool): JsonSchema {
  return Object.fromEntries(
    Object.entries(responses).map(([status, one]) => [status, failures.ref(`failure_${status}`, one)]),
  );
}

const suffixes: Readonly<Record<string, string>> = { v1: "", v2: "VersionTwo", v1beta: "Beta" };

/** Makes the ids of an operation with several paths unique. */
function versionSuffix(path: string): string {
  const [, version = ""] = /^\/(?:admin\/)?(v\d\w*)\//.exec(path) ?? [];
  return suffixes[version] ?? "Unversioned";
}

function described(route: AnyRoute, failures: Pool): JsonSchema {
  const operation = operationOf(route);
  const body = requestBody(route, operation);
  const { ok, accepted, status = 200 } = operation;
  return {
    operationId: `${operation.id}${versionSuffix(route.path)}`,
    summary: operation.summary,
    tags: [operation.tag],
    ...securityOf(route),
    parameters: parametersOf(route, operation),
    ...(body !== undefined && { requestBody: body }),
    responses: {
      [status]: respond(route, String(status), ok),
      ...(accepted !== undefined && { 202: respond(route, "202", accepted) }),
      ...shared(failuresOf(route, operation), failures),
    },
    "x-codeSamples": codeSamples(route),
  };
}

/** Schemas of admin requests. */
const closed = /^Admin\w+Request$/;

function schemaComponents(name: DocumentName): JsonSchema {
  const named = Object.values(written[name]).flatMap(({ request, ok, accepted }) =>
    [request, ok.json, ok.events, accepted?.json].flatMap((schemas) => Object.entries(schemas ?? {})),
  );
  const all: Named = { ...Object.fromEntries(named), ...errors };
  return Object.fromEntries(
    Object.entries(all).map(([name, schema]) => [name, jsonSchema(schema, { closed: closed.test(name) })]),
  );
}

/** The path of a route in OpenAPI's syntax. */
export const templateOf = (path: string): string => filledPath(path, (name) => `{${name}}`);

/** Keeps only referenced components: the two APIs use different headers. */
function referred(kind: string, components: JsonSchema, by: JsonSchema): JsonSchema {
  const text = JSON.stringify(by);
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
  );
}

/** The OpenAPI 3.1 document of the public or the admin API. */
export function openApiDocument(name: DocumentName): JsonSchema {
  const routed: Record<string, JsonSchema> = {};
  const failures = openPool("responses");
  for (const route of routesOf[name]) {
    const path = templateOf(route.path);
    routed[path] = { ...routed[path], [route.method.toLowerCase()]: described(route, failures) };
  }
  const paths = { ...routed, ...probePaths(name, shared(failuresOfProbes(), failures)) };
  const responses = failures.components;
  const by = { paths, responses };
  return {
    openapi: "3.1.0",
    info: infos[name],
    jsonSchemaDialect: z.toJSONSchema(z.unknown()).$schema,
    servers: [{ url: "/", description: "The gateway that serves this document." }],
    tags: tagObjects(name),
    security: [{ [rootSchemes[name]]: [] }],
    paths,
    components: {
      schemas: referred("schemas", schemaComponents(name), by),
      responses,
      headers: referred("headers", headerComponents, by),
      parameters: referred("parameters", parameterComponents, by),
      securitySchemes: securitySchemes[name],
    },
  };
}
