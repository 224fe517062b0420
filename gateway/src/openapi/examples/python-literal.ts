const names = new Map<unknown, string>([
  [true, "True"],
  [false, "False"],
  [null, "None"],
]);

/**
 * A JSON value as a Python literal, formatted like Black with trailing commas.
 * @param depth indentation of the line it begins on, in steps of four
 */
export function pythonLiteral(value: unknown, depth = 0): string {
  const name = names.get(value);
  if (name !== undefined) return name;
  if (typeof value !== "object") return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const items = Array.isArray(value)
    ? value.map((item) => pythonLiteral(item, depth + 1))
    : Object.entries(value as object).map(([key, item]) => `${JSON.stringify(key)}: ${pythonLiteral(item, depth + 1)}`);
  if (items.length === 0) return `${open}${close}`;
  const indent = "    ".repeat(depth);
  return `${open}\n${items.map((item) => `${indent}    ${item},\n`).join("")}${indent}${close}`;
}
