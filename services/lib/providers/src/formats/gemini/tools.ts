import { type Fields, fieldsOf, isFields, listOf, textOf } from "../../conversation/fields.ts";
import type { Conversation, Tool } from "../../conversation/types.ts";
import { jsonSchemaOf } from "./schema.ts";

type ToolUse = Pick<Conversation, "tools" | "toolChoice">;

/** Function declarations, and which of them the model may or must call. */
export function readTools({ tools, toolConfig }: Fields): ToolUse {
  const declared = declarationsIn(tools).map(readDeclaration);
  const { mode, allowedFunctionNames } = fieldsOf(fieldsOf(toolConfig)["functionCallingConfig"]);
  const names = listOf(allowedFunctionNames);
  if (mode === "NONE") return { tools: declared, toolChoice: { kind: "none" } };
  if (mode !== "ANY") return { tools: declared, toolChoice: mode === "AUTO" ? { kind: "auto" } : undefined };
  const [only] = names;
  if (names.length === 1) return { tools: declared, toolChoice: { kind: "tool", name: String(only) } };
  // Other protocols cannot restrict a list of tools, so disallowed tools are not sent.
  const allowed = names.length === 0 ? declared : declared.filter(({ name }) => names.includes(name));
  return { tools: allowed, toolChoice: { kind: "required" } };
}

/** All function declarations of a request's tools. */
export const declarationsIn = (tools: unknown): Fields[] =>
  listOf(tools).flatMap((tool) => listOf(fieldsOf(tool)["functionDeclarations"]).map(fieldsOf));

function readDeclaration({ name, description, parameters, parametersJsonSchema }: Fields): Tool {
  const own = isFields(parameters) ? jsonSchemaOf(parameters) : undefined;
  const schema = isFields(parametersJsonSchema) ? parametersJsonSchema : own;
  return { name: String(name), description: textOf(description), schema, strict: undefined, cacheControl: undefined };
}
