import { type Fields, isFields } from "../conversation/fields.ts";

/**
 * Marks every object in a schema as closed: Anthropic's structured output requires
 * `additionalProperties: false`, while other vendors assume it or do without.
 */
export function closedSchema(schema: Fields): Fields {
  const closed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) closed[key] = closedValue(key, value);
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
