import { type Fields, fieldsOf, isFields, listOf, parsedJson, textOf } from "../../conversation/fields.ts";
import type { Conversation, Tool, ToolChoice } from "../../conversation/types.ts";
import { noServerTools, refusedTool, type ServerTools } from "../server-tools.ts";

type ToolUse = Pick<Conversation, "tools" | "toolChoice" | "parallelTools">;

/** Tools run by the client. Any other type is the provider's own: `web_search`, `mcp`. */
const clientTools: ReadonlySet<unknown> = new Set(["function", "custom"]);

/** @throws {GatewayError} `invalid_request` naming the tool, since none of them has a price */
export function responsesServerTools(fields: Fields): ServerTools {
  for (const [index, tool] of listOf(fields["tools"]).entries()) {
    const { type } = fieldsOf(tool);
    if (!clientTools.has(type)) throw refusedTool(textOf(type) ?? "", `tools[${index}].type`);
  }
  return noServerTools;
}

/** Tools and the tool choice. */
export function readTools(fields: Fields): ToolUse {
  const tools = listOf(fields["tools"]).map((tool) => readTool(fieldsOf(tool)));
  const parallelTools = fields["parallel_tool_calls"] !== false;
  const choice = fields["tool_choice"];
  if (isFields(choice) && choice["type"] === "allowed_tools") return { ...allowed(tools, choice), parallelTools };
  return { tools, toolChoice: readChoice(choice), parallelTools };
}

/** The names of a request's custom tools: their calls carry text in place of JSON. */
export function customTools(fields: Fields): ReadonlySet<string> {
  const names = listOf(fields["tools"]).flatMap((item) => {
    const { type, name } = fieldsOf(item);
    return type === "custom" && typeof name === "string" ? [name] : [];
  });
  return new Set(names);
}

/** For other protocols a custom tool is a function with its text as the only input. */
const customSchema: Fields = { type: "object", properties: { input: { type: "string" } }, required: ["input"] };

export const customInput = (text: string): Fields => ({ input: text });

/** The text of a custom tool's call; what is not the JSON that was asked for is taken as it is. */
export function customText(json: string): string {
  return textOf(fieldsOf(parsedJson(json))["input"]) ?? json;
}

function readTool(tool: Fields): Tool {
  const name = String(tool["name"]);
  const description = textOf(tool["description"]);
  if (tool["type"] === "custom") {
    return {
      name,
      description: withGrammar(description, tool["format"]),
      schema: customSchema,
      cacheControl: undefined,
    };
  }
  const schema = isFields(tool["parameters"]) ? tool["parameters"] : undefined;
  return { name, description, schema, cacheControl: undefined };
}

/** Other protocols know no grammars: the model is told of it. */
function withGrammar(description: string | undefined, format: unknown): string | undefined {
  const { syntax, definition } = fieldsOf(format);
  if (typeof definition !== "string") return description;
  return [description, `The input follows this ${String(syntax ?? "")} grammar:\n${definition}`].join("\n\n");
}

function readChoice(choice: unknown): ToolChoice | undefined {
  if (choice === "none" || choice === "auto" || choice === "required") return { kind: choice };
  const name = textOf(choice) ?? textOf(fieldsOf(choice)["name"]);
  return name === undefined ? undefined : { kind: "tool", name };
}

/** Other protocols cannot restrict a list of tools, so disallowed tools are not sent. */
function allowed(tools: Tool[], { mode, tools: listed }: Fields): Pick<ToolUse, "tools" | "toolChoice"> {
  const names = new Set(listOf(listed).map((tool) => textOf(fieldsOf(tool)["name"])));
  return {
    tools: tools.filter((tool) => names.has(tool.name)),
    toolChoice: { kind: mode === "required" ? "required" : "auto" },
  };
}
