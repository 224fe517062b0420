// Below these fields, names are the client's own.
const opaque = new Set([
  "args",
  "response",
  "parameters",
  "parametersJsonSchema",
  "responseSchema",
  "responseJsonSchema",
  "properties",
]);

/** `max_items` as `maxItems`. */
export function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Google accepts `generation_config` and `generationConfig` alike, and null for an absent field
 * (protobuf.dev/programming-guides/json): converts every field name to camel case, and drops nulls.
 */
export function withCamelNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withCamelNames);
  if (typeof value !== "object" || value === null) return value;
  const given = Object.entries(value).filter(([, item]) => item !== null);
  const entries = given.map(([written, item]) => {
    const name = camel(written);
    return [name, opaque.has(name) ? item : withCamelNames(item)] as const;
  });
  return Object.fromEntries(entries);
}

/** `generationConfig.maxOutputTokens` as written in Google's errors. */
export function snakePath(path: readonly PropertyKey[]): string {
  const names = path.map((key) =>
    typeof key === "number" ? `[${key}]` : `.${String(key).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
  );
  return names.join("").replace(/^\./, "");
}
