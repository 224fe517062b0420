import { type Fields, isFields } from "../conversation/fields.ts";

/**
 * A schema in which every object says that it has no further members: Anthropic's structured output
 * wants that said, while other vendors take it for granted or do without.
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
