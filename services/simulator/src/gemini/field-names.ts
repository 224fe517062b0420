// Below these fields stand the client's own names.
const opaque = new Set([
  "args",
  "response",
  "parameters",
  "parametersJsonSchema",
  "responseSchema",
  "responseJsonSchema",
  "properties",
]);

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Google reads `generation_config` and `generationConfig` alike; gives every field its camel-case
 * name.
 */
export function withCamelNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withCamelNames);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([given, item]) => {
    const name = camel(given);
    return [name, opaque.has(name) ? item : withCamelNames(item)] as const;
  });
  return Object.fromEntries(entries);
}

/** `generationConfig.maxOutputTokens` as Google's errors write it. */
export function snakePath(path: readonly PropertyKey[]): string {
  const names = path.map((key) =>
    typeof key === "number" ? `[${key}]` : `.${String(key).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
  );
  return names.join("").replace(/^\./, "");
}
