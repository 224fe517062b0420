import { type Fields, fieldsOf, isFields, listOf } from "../conversation/fields.ts";
import type { Tool } from "../conversation/types.ts";
import { closedSchema } from "./schema.ts";

/**
 * What all strict tools of a request may have together
 * (platform.claude.com/docs/en/build-with-claude/structured-outputs, "Schema complexity limits").
 */
const limits = { tools: 20, optional: 24, unions: 16 } as const;
type Complexity = { -readonly [K in keyof typeof limits]: number };

/**
 * The schemas of the tools whose input Claude is held to, by tool. A tool beyond the limits is
 * left out: it is sent with its schema, which then only advises.
 */
export function strictSchemas(tools: readonly Tool[]): ReadonlyMap<Tool, Fields> {
  const schemas = new Map<Tool, Fields>();
  let total: Complexity = { tools: 0, optional: 0, unions: 0 };
  for (const tool of tools) {
    if (tool.strict !== true) continue;
    const schema = closedSchema({ type: "object", ...tool.schema });
    const next = sum(total, { ...complexity(schema), tools: 1 });
    if (Object.entries(limits).some(([name, limit]) => next[name as keyof Complexity] > limit)) continue;
    total = next;
    schemas.set(tool, schema);
  }
  return schemas;
}

function complexity(value: unknown): Complexity {
  const found: Complexity = { tools: 0, optional: 0, unions: 0 };
  if (Array.isArray(value)) return value.map(complexity).reduce(sum, found);
  if (!isFields(value)) return found;
  const required = new Set(listOf(value["required"]));
  for (const [name, property] of Object.entries(fieldsOf(value["properties"]))) {
    if (!required.has(name)) found.optional++;
    const { type, anyOf } = fieldsOf(property);
    if (Array.isArray(type) || Array.isArray(anyOf)) found.unions++;
  }
  return Object.values(value).map(complexity).reduce(sum, found);
}

const sum = (a: Complexity, b: Complexity): Complexity => ({
  tools: a.tools + b.tools,
  optional: a.optional + b.optional,
  unions: a.unions + b.unions,
});
