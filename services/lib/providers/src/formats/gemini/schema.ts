import { type Fields, fieldsOf, isFields, listOf } from "../../conversation/fields.ts";
import { camelName } from "./field-names.ts";

/** Members of Google's `Schema` that JSON Schema does not have. */
const dropped: ReadonlySet<string> = new Set(["example", "nullable", "propertyOrdering"]);
/** 64-bit integers, which Google's clients send as text. */
const counts: ReadonlySet<string> = new Set([
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "minLength",
  "maxLength",
]);

/** Google's `Schema`, a subset of OpenAPI 3.0 (https://ai.google.dev/api/caching#Schema), as JSON Schema. */
export function jsonSchemaOf(schema: Fields): Fields {
  const entries = Object.entries(schema).map(([name, value]) => [camelName(name), value] as const);
  const kept = entries.filter(([name]) => !dropped.has(name)).map(([name, value]) => [name, memberOf(name, value)]);
  const { type, ...rest }: Record<string, unknown> = Object.fromEntries(kept);
  if (type === undefined || type === "type_unspecified") return rest;
  return { type: schema["nullable"] === true ? [type, "null"] : type, ...rest };
}

function memberOf(name: string, value: unknown): unknown {
  if (name === "type" && typeof value === "string") return value.toLowerCase();
  if (name === "items" && isFields(value)) return jsonSchemaOf(value);
  if (name === "anyOf") return listOf(value).map((each) => jsonSchemaOf(fieldsOf(each)));
  if (name === "properties" || name === "defs")
    return Object.fromEntries(
      Object.entries(fieldsOf(value)).map(([key, each]) => [key, jsonSchemaOf(fieldsOf(each))]),
    );
  return counts.has(name) && typeof value === "string" ? Number(value) : value;
}
