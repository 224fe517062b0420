import { type Fields, isFields } from "../conversation/fields.ts";

/**
 * The JSON Schema keywords that Gemini supports (reference of `responseJsonSchema`); it rejects
 * others.
 */
const known = new Set([
  "$id",
  "$defs",
  "$ref",
  "$anchor",
  "type",
  "format",
  "title",
  "description",
  "enum",
  "items",
  "prefixItems",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "anyOf",
  "oneOf",
  "properties",
  "additionalProperties",
  "required",
]);
const byName = new Set(["properties", "$defs"]);

/** Reduces a schema to the keywords that Gemini supports; dropped ones only narrow it further. */
export function geminiSchema(schema: Fields): Fields {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "const") kept["enum"] = [value];
    else if (key === "definitions") kept["$defs"] = named(value);
    else if (key === "allOf" && Array.isArray(value)) for (const part of value) Object.assign(kept, inner(part));
    else if (known.has(key)) kept[key] = byName.has(key) ? named(value) : inner(value);
  }
  const { $ref } = kept;
  if (typeof $ref === "string") kept["$ref"] = $ref.replace(/^#\/definitions\//, "#/$defs/");
  return kept;
}

function named(value: unknown): unknown {
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, inner(schema)]));
}

function inner(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inner);
  return isFields(value) ? geminiSchema(value) : value;
}
