import type { ProbePath } from "@uag/gateway/handlers/probes.ts";
import type { JsonSchema } from "./json-schema.ts";

const json = (summary: string, properties: JsonSchema) => ({
  summary,
  schema: { type: "object", properties, required: Object.keys(properties) },
});
const text = { type: "string" };
const status = json("Tells whether requests are taken", { status: text });
const greeting = json("Names the service", { name: text, api: text });

const probes: Readonly<Record<ProbePath, ReturnType<typeof json>>> = {
  "/": greeting,
  "/api/hello": greeting,
  "/health/live": json("Tells that the process is alive", { status: text }),
  "/health/ready": status,
  "/health": status,
  "/openapi.json": json("This document", { openapi: text, paths: { type: "object" } }),
};

const answer = (description: string, schema: JsonSchema): JsonSchema => ({
  description,
  content: { "application/json": { schema } },
});

/** The paths that ask for no key. They take no body, and answer HEAD as GET does. */
export const probePaths: JsonSchema = Object.fromEntries(
  Object.entries(probes).map(([path, { summary, schema }]) => [
    path,
    {
      get: {
        operationId: `probe.${path.replaceAll(/\W+/g, "_").replace(/^_/, "") || "root"}`,
        summary,
        tags: ["probes"],
        security: [],
        responses: {
          200: answer("Done.", schema),
          ...(schema === status.schema && { 503: answer("Not now.", schema) }),
          ...(path === "/openapi.json" && { 304: { description: "The client has it already." } }),
        },
      },
    },
  ]),
);
