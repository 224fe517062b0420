import { type Fields, fieldsOf, isFields, listOf, textOf } from "../../conversation/fields.ts";
import { noServerTools, refusedTool, type ServerTools } from "../server-tools.ts";

/**
 * Tools run by the client. Any other type is the vendor's own: `builtin_function`, `web_search`,
 * `code_interpreter`, `mcp`.
 */
const clientTools: ReadonlySet<unknown> = new Set(["function", "custom"]);

/** @throws {GatewayError} `invalid_request` naming the tool, since none of them has a price */
export function openAiServerTools(fields: Fields): ServerTools {
  for (const [index, tool] of listOf(fields["tools"]).entries()) {
    const { type } = fieldsOf(tool);
    if (isFields(tool) && !clientTools.has(type)) throw refusedTool(textOf(type) ?? "", `tools[${index}].type`);
  }
  return noServerTools;
}
