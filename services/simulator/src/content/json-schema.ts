import { integerBetween, type Random } from "./hash.ts";
import { wordsOf } from "./words.ts";

type Schema = { readonly [keyword: string]: unknown };

const maxDepth = 8;
const formats: Record<string, string> = {
  "date-time": "2026-01-02T03:04:05Z",
  date: "2026-01-02",
  time: "03:04:05Z",
  email: "someone@example.com",
  uri: "https://example.com/",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
};

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The keys to look up one after the other; a `$ref` such as `#/$defs/a~1b` names `$defs` and `a/b`. */
function resolve(schema: Schema, root: Schema): Schema {
  const ref = schema["$ref"];
  if (typeof ref !== "string" || !ref.startsWith("#")) return schema;
  let target: unknown = root;
  for (const key of ref.split("/").slice(1)) {
    target = isSchema(target) ? target[key.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
  }
  return isSchema(target) ? target : {};
}

function typeOf(schema: Schema): string {
  const type = Array.isArray(schema["type"]) ? schema["type"].find((name) => name !== "null") : schema["type"];
  // Gemini writes the type names in capitals.
  if (typeof type === "string") return type.toLowerCase();
  if (isSchema(schema["properties"])) return "object";
  return isSchema(schema["items"]) ? "array" : "string";
}

function makeString(schema: Schema, random: Random): string {
  const format = typeof schema["format"] === "string" ? formats[schema["format"]] : undefined;
  const shortest = numberOf(schema["minLength"], 0);
  let text = format ?? wordsOf(random, 2);
  while (text.length < shortest) text += ` ${wordsOf(random, 1)}`;
  return text.slice(0, numberOf(schema["maxLength"], text.length));
}

function makeNumber(schema: Schema, random: Random, whole: boolean): number {
  const low = numberOf(schema["minimum"], numberOf(schema["exclusiveMinimum"], -1) + 1);
  const high = numberOf(schema["maximum"], Math.max(low, numberOf(schema["exclusiveMaximum"], low + 101) - 1));
  const step = numberOf(schema["multipleOf"], 0);
  if (step > 0) return Math.ceil(low / step) * step;
  const value = low + random() * (high - low);
  return whole ? Math.min(Math.ceil(value), Math.floor(high)) : Math.round(value * 100) / 100;
}

function makeArray(schema: Schema, random: Random, root: Schema, depth: number): unknown[] {
  const least = numberOf(schema["minItems"], depth < maxDepth ? 1 : 0);
  const most = Math.max(least, Math.min(numberOf(schema["maxItems"], 2), least + 1));
  const items = isSchema(schema["items"]) ? schema["items"] : {};
  return Array.from({ length: integerBetween(random, least, most) }, () => make(items, random, root, depth + 1));
}

function makeObject(schema: Schema, random: Random, root: Schema, depth: number): Record<string, unknown> {
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const required = listOf(schema["required"]);
  const made: [string, unknown][] = [];
  for (const [name, property] of Object.entries(properties)) {
    const wanted = required.includes(name) || (required.length === 0 && depth < maxDepth / 2);
    if (wanted) made.push([name, make(isSchema(property) ? property : {}, random, root, depth + 1)]);
  }
  return Object.fromEntries(made);
}

function make(given: Schema, random: Random, root: Schema, depth: number): unknown {
  const schema = resolve(given, root);
  if ("const" in schema) return schema["const"];
  const choices = listOf(schema["enum"]);
  if (choices.length > 0) return choices[Math.floor(random() * choices.length)];
  const alternatives = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])].filter(isSchema);
  const first = alternatives.find((item) => item["type"] !== "null");
  if (first !== undefined && depth < 2 * maxDepth) return make(first, random, root, depth + 1);
  const parts = listOf(schema["allOf"]).filter(isSchema);
  if (parts.length > 0) return mergeParts(parts, random, root, depth);
  if (depth > 2 * maxDepth) return null;
  const type = typeOf(schema);
  if (type === "object") return makeObject(schema, random, root, depth);
  if (type === "array") return makeArray(schema, random, root, depth);
  if (type === "integer" || type === "number") return makeNumber(schema, random, type === "integer");
  if (type === "boolean") return random() < 0.5;
  return type === "null" ? null : makeString(schema, random);
}

function mergeParts(parts: Schema[], random: Random, root: Schema, depth: number): unknown {
  const made = parts.map((part) => make(part, random, root, depth + 1));
  return made.every(isSchema) ? Object.assign({}, ...made) : made[0];
}

/**
 * A value that fits a JSON Schema (or Gemini's OpenAPI-like one), the same for the same random stream. Keywords known:
 * type, enum, const, properties, required, items, the length, size and range limits, format, anyOf, oneOf, allOf and
 * local $ref. Others, `pattern` among them, are not obeyed.
 */
export function instanceOf(schema: unknown, random: Random): unknown {
  const root = isSchema(schema) ? schema : {};
  return make(root, random, root, 0);
}
