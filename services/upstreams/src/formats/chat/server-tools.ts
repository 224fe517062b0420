import { type Fields, fieldsOf, isFields, listOf, textOf } from "../../conversation/fields.ts";
import { noServerTools, refusedTool, type ServerTools } from "../server-tools.ts";

/**
 * Fields with which vendors of this protocol search, run code or call servers themselves, for a
 * price on top of the tokens: OpenAI's search models, DashScope's search and code interpreter,
 * xAI's live search, and additions by relays. No catalogue has their prices and no usage their
 * counts.
 */
const serverFields = [
  "web_search_options",
  "enable_search",
  "search_options",
  "enable_code_interpreter",
  "search_parameters",
  "mcp_servers",
  "plugins",
] as const;

/**
 * Tools run by the client. Any other type is the vendor's own: `builtin_function`, `web_search`,
 * `code_interpreter`, `mcp`.
 */
const clientTools: ReadonlySet<unknown> = new Set(["function", "custom"]);

/** @throws {GatewayError} `invalid_request` naming the tool, since none of them has a price */
export function openAiServerTools(fields: Fields): ServerTools {
  for (const name of serverFields) if (isRequested(fields[name])) throw refusedTool(name, name);
  for (const [index, tool] of listOf(fields["tools"]).entries()) {
    const { type } = fieldsOf(tool);
    if (isFields(tool) && !clientTools.has(type)) throw refusedTool(textOf(type) ?? "", `tools[${index}].type`);
  }
  return noServerTools;
}

function isRequested(value: unknown): boolean {
  if (value == null || value === false) return false;
  if (Array.isArray(value)) return value.length > 0;
  return fieldsOf(value)["mode"] !== "off";
}
