import { createHash } from "node:crypto";
import { fieldsOf, listOf, textOf } from "./fields.ts";

/** OpenAI and Gemini accept names of up to this many characters, Anthropic longer ones. */
const max = 64;

export function shortToolName(name: string): string {
  if (name.length <= max) return name;
  return `${name.slice(0, max - 9)}_${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;
}

/** Maps shortened tool names back to the client's own. */
export function longToolNames(body: { readonly tools?: unknown }): (name: string) => string {
  const long = new Map<string, string>();
  for (const tool of listOf(body.tools).flatMap(declared)) {
    const fields = fieldsOf(tool);
    const name = textOf(fields["name"]) ?? textOf(fieldsOf(fields["function"])["name"]) ?? "";
    if (name.length > max) long.set(shortToolName(name), name);
  }
  return long.size === 0 ? (name) => name : (name) => long.get(name) ?? name;
}

/** Gemini's format declares several functions as one tool. */
function declared(tool: unknown): readonly unknown[] {
  const { functionDeclarations } = fieldsOf(tool);
  return Array.isArray(functionDeclarations) ? functionDeclarations : [tool];
}
