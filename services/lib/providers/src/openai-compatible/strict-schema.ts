import { type Fields, fieldsOf, isFields, listOf } from "../conversation/fields.ts";

/**
 * Keywords that strict mode does not support.
 * https://developers.openai.com/api/docs/guides/structured-outputs, "Supported schemas"
 */
const unsupported = [
  "allOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "patternProperties",
] as const;

/**
 * Whether OpenAI's strict mode accepts a schema: every object must be closed and require all of its
 * members.
 */
export function isStrictSchema(schema: Fields): boolean {
  if (unsupported.some((keyword) => keyword in schema)) return false;
  const properties = fieldsOf(schema["properties"]);
  if (schema["type"] === "object") {
    const required = new Set(listOf(schema["required"]));
    const whole = Object.keys(properties).every((name) => required.has(name));
    if (!whole || schema["additionalProperties"] !== false) return false;
  }
  const inner = [...Object.values(properties), schema["items"], ...listOf(schema["anyOf"])];
  const defined = Object.values(fieldsOf(schema["$defs"]));
  return [...inner, ...defined].every((value) => !isFields(value) || isStrictSchema(value));
}
