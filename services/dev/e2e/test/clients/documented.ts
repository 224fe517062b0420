import assert from "node:assert/strict";
import { type DocumentName, documentNames } from "@uag/router/docs/documents";
import { openApiDocument } from "@uag/router/openapi/document";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly responses: Readonly<Record<string, Json>>;
}

/** Compares real responses with the OpenAPI documents; a field that they do not list is a difference. */
export interface Documented {
  /**
   * Records a response that is missing in the documents, contradicts them, or has a field that they do not list.
   */
  check(method: string, template: string, response: { status: number; type: string; text: string }): void;
  /** Records the data of an event that does not match the schema of that name. */
  checkEvent(schema: string, data: string): void;
  /** The operations with a successful response that was checked: `GET /v1/models`. */
  readonly seen: ReadonlySet<string>;
  /** The differences from the documents. */
  readonly problems: ReadonlySet<string>;
}

/**
 * Objects with further fields of a provider are declared open; all others are closed here, although
 * they are open to clients.
 */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closed(inner)]));
  const isObject = "properties" in fields && fields["type"] === "object" && !("additionalProperties" in fields);
  return isObject ? { ...fields, additionalProperties: false } : fields;
}

const faultsOf = ({ errors }: ValidateFunction): string =>
  (errors ?? [])
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join("; ");

const pointer = (...names: string[]): string =>
  names.map((name) => `/${encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("");

const nameOf = (template: string): DocumentName => (template.startsWith("/admin/") ? "admin" : "public");

/** Reads the documents once. */
export function documented(): Documented {
  const documents = Object.fromEntries(documentNames.map((name) => [name, closed(openApiDocument(name)) as Json]));
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  for (const [name, document] of Object.entries(documents)) ajv.addSchema(document, name);
  const validators = new Map<string, ValidateFunction>();
  const seen = new Set<string>();
  const problems = new Set<string>();
  const valid = (at: string, value: unknown, what: string): void => {
    const validate = validators.get(at) ?? ajv.compile({ $ref: at });
    validators.set(at, validate);
    if (!validate(value)) problems.add(`${what}: ${faultsOf(validate)}\n${JSON.stringify(value).slice(0, 2_000)}`);
  };
  return {
    seen,
    problems,
    checkEvent: (schema, data) => valid(`public#${pointer("components", "schemas", schema)}`, JSON.parse(data), schema),
    check(method, template, { status, type, text }) {
      const what = `${method} ${template} ${status}`;
      const name = nameOf(template);
      const document = documents[name] ?? {};
      const operation = (document["paths"] as Readonly<Record<string, Readonly<Record<string, Operation>>>>)[
        template
      ]?.[method.toLowerCase()];
      assert.ok(operation !== undefined, `${what} is not in the document`);
      const { responses } = operation;
      const code = String(status) in responses ? String(status) : `${what.at(-3)}XX`;
      const response = responses[code];
      assert.ok(response !== undefined, `${what} is not in the document: ${text}`);
      const ref = typeof response["$ref"] === "string" ? response["$ref"].slice(1) : undefined;
      const at = ref ?? pointer("paths", template, method.toLowerCase(), "responses", code);
      const shared =
        ref === undefined
          ? response
          : ((document["components"] as Json)["responses"] as Json)[ref.split("/").at(-1) ?? ""];
      const content = (shared as Json)["content"] as Json | undefined;
      const essence = type.split(";")[0] ?? "";
      assert.ok(content !== undefined && essence in content, `${what}: ${type} is not in the document`);
      if (essence === "application/json")
        valid(`${name}#${at}${pointer("content", essence, "schema")}`, JSON.parse(text), what);
      if (status < 300) seen.add(`${method} ${template}`);
    },
  };
}
