import type { Fields } from "../conversation/fields.ts";
import type { Conversation, Tool } from "../conversation/types.ts";
import type { ModelRules } from "./models.ts";
import { strictSchemas } from "./strict-tools.ts";

/** Tools and the tool choice; `forced` when the choice requires a tool call. */
export function toolFields(
  { tools, toolChoice, parallelTools }: Conversation,
  rules: ModelRules,
): { fields: object; forced: boolean } {
  if (tools.length === 0) return { fields: {}, forced: false };
  const single = parallelTools ? {} : { disable_parallel_tool_use: true };
  const forced = toolChoice?.kind === "required" || toolChoice?.kind === "tool";
  const choice = ((): object | undefined => {
    switch (toolChoice?.kind) {
      case "none":
        return { type: "none" };
      case "required":
        return { type: "any", ...single };
      case "tool":
        return { type: "tool", name: toolChoice.name, ...single };
      case "auto":
        return { type: "auto", ...single };
      case undefined:
        return parallelTools ? undefined : { type: "auto", ...single };
    }
  })();
  const strict = rules.strictTools ? strictSchemas(tools) : new Map<Tool, Fields>();
  const sent = tools.map((tool) => toolOf(tool, strict.get(tool)));
  return { fields: { tools: sent, ...(choice !== undefined && { tool_choice: choice }) }, forced };
}

function toolOf({ name, description, schema, cacheControl }: Tool, strictSchema: Fields | undefined): object {
  return {
    name,
    ...(description !== undefined && { description }),
    input_schema: strictSchema ?? { ...schema, type: "object" },
    ...(strictSchema !== undefined && { strict: true }),
    ...(cacheControl != null && { cache_control: cacheControl }),
  };
}
