import { type Fields, isFields } from "../conversation/fields.ts";

/** Constraints that Anthropic's structured outputs refuse; without them a schema allows more. */
const unsupported = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
]);

/**
 * A schema as Anthropic's structured outputs take it
 * (platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations"):
 * every object is closed, which other vendors assume or do without.
 */
export function closedSchema(schema: Fields): Fields {
  const closed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (!unsupported.has(key)) closed[key === "oneOf" ? "anyOf" : key] = closedValue(key, value);
  }
  if (schema["type"] === "object" || isFields(schema["properties"])) closed["additionalProperties"] = false;
  return closed;
}

const byName = new Set(["properties", "$defs", "definitions"]);

function closedValue(key: string, value: unknown): unknown {
  if (byName.has(key) && isFields(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closedOne(inner)]));
  }
  if (key === "items") return closedOne(value);
  if ((key === "anyOf" || key === "allOf" || key === "oneOf") && Array.isArray(value)) return value.map(closedOne);
  return value;
}

function closedOne(value: unknown): unknown {
  return isFields(value) ? closedSchema(value) : value;
}
