import { type Fields, fieldsOf, flagOf, isFields, listOf, textOf } from "../../conversation/fields.ts";
import { refusal } from "../../conversation/refusal.ts";
import type { Conversation, Tool, ToolChoice } from "../../conversation/types.ts";

type ToolUse = Pick<Conversation, "tools" | "toolChoice" | "parallelTools">;

/** Tools and the tool choice. */
export function readTools(fields: Fields): ToolUse {
  const tools = listOf(fields["tools"]).map((tool, index) => readTool(fieldsOf(tool), `tools[${index}]`));
  const parallelTools = fields["parallel_tool_calls"] !== false;
  const choice = fields["tool_choice"];
  if (isFields(choice) && choice["type"] === "allowed_tools") return { ...allowed(tools, choice), parallelTools };
  return { tools, toolChoice: readChoice(choice), parallelTools };
}

function readTool(tool: Fields, param: string): Tool {
  const type = tool["type"];
  if (type !== "function") {
    throw refusal(`${param}.type`, `Tools of type '${String(type).slice(0, 40)}' are not available with this model.`);
  }
  const called = fieldsOf(tool["function"]);
  return {
    name: String(called["name"]),
    description: textOf(called["description"]),
    schema: isFields(called["parameters"]) ? called["parameters"] : undefined,
    strict: flagOf(called["strict"]),
    cacheControl: tool["cache_control"],
  };
}

function readChoice(choice: unknown): ToolChoice | undefined {
  if (choice === "none" || choice === "auto" || choice === "required") return { kind: choice };
  if (typeof choice === "string") return { kind: "tool", name: choice };
  const name = textOf(fieldsOf(fieldsOf(choice)["function"])["name"]);
  return name === undefined ? undefined : { kind: "tool", name };
}

/** Other protocols cannot restrict a list of tools, so disallowed tools are not sent. */
function allowed(tools: Tool[], choice: Fields): Pick<ToolUse, "tools" | "toolChoice"> {
  const { mode, tools: listed } = fieldsOf(choice["allowed_tools"]);
  const names = new Set(listOf(listed).map((tool) => textOf(fieldsOf(fieldsOf(tool)["function"])["name"])));
  return {
    tools: tools.filter((tool) => names.has(tool.name)),
    toolChoice: { kind: mode === "required" ? "required" : "auto" },
  };
}
