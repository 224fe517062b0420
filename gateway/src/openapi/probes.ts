import { type DocumentName, documents } from "../docs/documents.ts";
import type { ProbePath } from "../handlers/probes.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { Tag } from "./tags.ts";

const json = (summary: string, properties: JsonSchema) => ({
  summary,
  schema: { type: "object", properties, required: Object.keys(properties) },
});
const text = { type: "string" };
const status = json("Readiness check", { status: text });
const greeting = json("Service information", { name: text, api: text });
const document = json("This document", { openapi: text, paths: { type: "object" } });

type Probe = ReturnType<typeof json> & { readonly id: string };

const open: Readonly<Record<ProbePath, Probe>> = {
  "/": { id: "getGreeting", ...greeting },
  "/api/hello": { id: "getHello", ...greeting },
  "/health/live": { id: "getLiveness", ...json("Liveness check", { status: text }) },
  "/health/ready": { id: "getReadiness", ...status },
  "/health": { id: "getHealth", ...status },
  "/.well-known/jwks.json": { id: "getReceiptKeys", ...json("Public keys of receipts", { keys: { type: "array" } }) },
};

/** The responses of each document's paths without authentication. */
export const probes: Readonly<Record<DocumentName, Readonly<Record<string, Probe>>>> = {
  public: { ...open, [documents.public.path]: { id: "getOpenApi", ...document } },
  admin: { [documents.admin.path]: { id: "getAdminOpenApi", ...document } },
};

const respond = (description: string, schema: JsonSchema): JsonSchema => ({
  description,
  content: { "application/json": { schema } },
});

const tag: Tag = "Service";

/**
 * The paths of a document without authentication. They take no body, and support HEAD like GET.
 * @param failures the error responses of each, by status
 */
export const probePaths = (name: DocumentName, failures: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(probes[name]).map(([path, { id, summary, schema }]) => [
      path,
      {
        get: {
          operationId: id,
          summary,
          tags: [tag],
          security: [],
          responses: {
            200: respond("Done.", schema),
            ...(schema === status.schema && { 503: respond("Not now.", schema) }),
            ...(path === documents[name].path && { 304: { description: "Not modified." } }),
            ...failures,
          },
        },
      },
    ]),
  );
