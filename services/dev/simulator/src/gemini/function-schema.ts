import { camel } from "./field-names.ts";

const keywords = new Set([
  "type",
  "format",
  "title",
  "description",
  "nullable",
  "enum",
  "maxItems",
  "minItems",
  "properties",
  "required",
  "minProperties",
  "maxProperties",
  "minLength",
  "maxLength",
  "pattern",
  "example",
  "anyOf",
  "propertyOrdering",
  "default",
  "items",
  "minimum",
  "maximum",
]);

/** Names in snake case are accepted as well: https://protobuf.dev/programming-guides/json. */
const isKeyword = (name: string): boolean => keywords.has(camel(name));

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * What Google's own schema dialect (`parameters`, `responseSchema`) does not support: JSON Schema
 * keywords outside its list, and lists of types. The `...JsonSchema` fields accept any.
 */
export function schemaFault(schema: unknown, path: string): string | undefined {
  if (!isObject(schema)) return undefined;
  const unknown = Object.keys(schema).find((name) => !isKeyword(name));
  if (unknown !== undefined) {
    return `Invalid JSON payload received. Unknown name "${unknown}" at '${path}': Cannot find field.`;
  }
  if (Array.isArray(schema["type"])) {
    return `Invalid value at '${path}.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), Proto field is not repeating, cannot start list.`;
  }
  const { properties, items, anyOf = schema["any_of"] } = schema;
  const inner: [string, unknown][] = [
    ...Object.entries(isObject(properties) ? properties : {}).map(([, value], i): [string, unknown] => [
      `${path}.properties[${i}].value`,
      value,
    ]),
    [`${path}.items`, items],
    ...(Array.isArray(anyOf) ? anyOf : []).map((value, i): [string, unknown] => [`${path}.any_of[${i}]`, value]),
  ];
  for (const [at, value] of inner) {
    const fault = schemaFault(value, at);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
