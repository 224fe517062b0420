import { integerBetween, type Random } from "./hash.ts";
import { numberFor, numbersIn, textFor } from "./plausible.ts";
import { wordsOf } from "./words.ts";

interface Schema {
  readonly [keyword: string]: unknown;
}

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

/** Resolves a `$ref` key by key; `#/$defs/a~1b` has the keys `$defs` and `a/b`. */
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
  // Gemini uses upper-case type names.
  if (typeof type === "string") return type.toLowerCase();
  if (isSchema(schema["properties"])) return "object";
  return isSchema(schema["items"]) ? "array" : "string";
}

/** The context for generating a value. */
interface Making {
  readonly random: Random;
  readonly root: Schema;
  /** The name of the property being generated; empty at the top. */
  readonly name: string;
  /** The user's prompt: a value mentioned there is preferred to a generated one. */
  readonly prompt: string;
  /** The numbers in the prompt that no value has yet: each number takes the first that fits. */
  readonly mentioned: number[];
}

function makeString(schema: Schema, { random, name, prompt }: Making): string {
  const format = typeof schema["format"] === "string" ? formats[schema["format"]] : undefined;
  const shortest = numberOf(schema["minLength"], 0);
  let text = format ?? textFor(name, prompt, random);
  while (text.length < shortest) text += ` ${wordsOf(random, 1)}`;
  return text.slice(0, numberOf(schema["maxLength"], text.length));
}

function makeNumber(schema: Schema, { random, name, mentioned }: Making, whole: boolean): number {
  const limits = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
  const fitting = mentioned.findIndex((value) => fits(value, schema) && (!whole || Number.isInteger(value)));
  const [given] = fitting < 0 ? [] : mentioned.splice(fitting, 1);
  const usual = given ?? (limits.some((key) => key in schema) ? undefined : numberFor(name, random));
  if (usual !== undefined) return usual;
  const low = numberOf(schema["minimum"], numberOf(schema["exclusiveMinimum"], -1) + 1);
  const high = numberOf(schema["maximum"], Math.max(low, numberOf(schema["exclusiveMaximum"], low + 101) - 1));
  const step = numberOf(schema["multipleOf"], 0);
  if (step > 0) return Math.ceil(low / step) * step;
  const value = low + random() * (high - low);
  return whole ? Math.min(Math.ceil(value), Math.floor(high)) : Math.round(value * 100) / 100;
}

function fits(value: number, schema: Schema): boolean {
  return (
    value >= numberOf(schema["minimum"], value) &&
    value <= numberOf(schema["maximum"], value) &&
    value > numberOf(schema["exclusiveMinimum"], Number.NEGATIVE_INFINITY) &&
    value < numberOf(schema["exclusiveMaximum"], Number.POSITIVE_INFINITY) &&
    Number.isInteger(value / numberOf(schema["multipleOf"], value || 1))
  );
}

function makeArray(schema: Schema, making: Making, depth: number): unknown[] {
  const min = numberOf(schema["minItems"], depth < maxDepth ? 1 : 0);
  const max = Math.max(min, Math.min(numberOf(schema["maxItems"], 2), min + 1));
  const items = isSchema(schema["items"]) ? schema["items"] : {};
  return Array.from({ length: integerBetween(making.random, min, max) }, () => make(items, making, depth + 1));
}

function makeObject(schema: Schema, making: Making, depth: number): Record<string, unknown> {
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const required = listOf(schema["required"]);
  const made: [string, unknown][] = [];
  for (const [name, property] of Object.entries(properties)) {
    const wanted = required.includes(name) || (required.length === 0 && depth < maxDepth / 2);
    if (wanted) made.push([name, make(isSchema(property) ? property : {}, { ...making, name }, depth + 1)]);
  }
  return Object.fromEntries(made);
}

function make(given: Schema, making: Making, depth: number): unknown {
  const { random } = making;
  const schema = resolve(given, making.root);
  if ("const" in schema) return schema["const"];
  const choices = listOf(schema["enum"]);
  if (choices.length > 0) return choices[Math.floor(random() * choices.length)];
  const alternatives = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])].filter(isSchema);
  const first = alternatives.find((item) => item["type"] !== "null");
  if (first !== undefined && depth < 2 * maxDepth) return make(first, making, depth + 1);
  const parts = listOf(schema["allOf"]).filter(isSchema);
  if (parts.length > 0) return mergeParts(parts, making, depth);
  if (depth > 2 * maxDepth) return null;
  const type = typeOf(schema);
  if (type === "object") return makeObject(schema, making, depth);
  if (type === "array") return makeArray(schema, making, depth);
  if (type === "integer" || type === "number") return makeNumber(schema, making, type === "integer");
  if (type === "boolean") return random() < 0.5;
  return type === "null" ? null : makeString(schema, making);
}

function mergeParts(parts: Schema[], making: Making, depth: number): unknown {
  const made = parts.map((part) => make(part, making, depth + 1));
  return made.every(isSchema) ? Object.assign({}, ...made) : made[0];
}

/**
 * A value that matches a JSON Schema (or Gemini's OpenAPI-like one), deterministic for the same
 * random stream. Supported keywords: type, enum, const, properties, required, items, the length,
 * size and range limits, format, anyOf, oneOf, allOf and local $ref. Others, including `pattern`,
 * are ignored. Strings and numbers are plausible for the names of their properties; a number, a place or a
 * quoted name in the prompt is preferred.
 */
export function instanceOf(schema: unknown, random: Random, prompt = ""): unknown {
  const root = isSchema(schema) ? schema : {};
  return make(root, { random, root, name: "", prompt, mentioned: numbersIn(prompt) }, 0);
}
