import { readFileSync } from "node:fs";
import type { JsonSchema } from "../json-schema.ts";
import type { Recorded } from "./types.ts";

/**
 * The recorded examples; committed, so that the documents can be generated without a running
 * gateway.
 */
export const examplesFile = new URL("recorded.json", import.meta.url);

/** The examples of the reference with a gateway's responses, recorded by `npm run openapi -- --record`. */
export const examples = JSON.parse(readFileSync(examplesFile, "utf8")) as readonly Recorded[];

const of = (operation: string): readonly Recorded[] => examples.filter((one) => one.operation === operation);

type Named = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

const named = (some: readonly Recorded[], pick: (one: Recorded) => unknown): { examples?: Named } =>
  some.length === 0
    ? {}
    : { examples: Object.fromEntries(some.map((one) => [one.name, { summary: one.summary, value: pick(one) }])) };

/** The bodies of an operation's requests, in OpenAPI's format. */
export const requestExamples = (operation: string): JsonSchema =>
  named(
    of(operation).filter(({ body }) => body !== undefined),
    ({ body }) => body,
  );

/** The bodies of an operation's responses of one status and media type. */
export const responseExamples = (operation: string, status: string, mediaType: string): JsonSchema =>
  named(
    of(operation).filter(
      ({ response }) => String(response.status) === status && response.type === mediaType && response.value,
    ),
    ({ response }) => response.value,
  );

/** An example value of a parameter in OpenAPI's format; empty if it has none. */
export function parameterExample(operation: string, place: "path" | "query", name: string): JsonSchema {
  const value = of(operation).find((one) => one[place]?.[name] !== undefined)?.[place]?.[name];
  return value === undefined ? {} : { example: value };
}
