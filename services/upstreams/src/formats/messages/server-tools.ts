import type { Model } from "@uag/catalog/types.ts";
import { countOf, type Fields, fieldsOf, listOf, textOf } from "../../conversation/fields.ts";
import { type PricedTool, refusedTool, type ServerTools } from "../server-tools.ts";

/** Tools run by the client, whatever their schema (Anthropic's list of tools). */
const clientTools = /^(custom|(bash|text_editor|memory)_\d{8}|(computer|browser)(_toolset)?_\d{8})$/;
const toolSearch = /^tool_search_tool_/;
const webSearch = /^web_search_\d{8}$/;
/** Context edits that only drop content; a compaction is an additional, uncounted answer. */
const freeEdits = /^clear_/;

/**
 * Rounds per request: a loop on Anthropic's side pauses after ten of them (`pause_turn`).
 * https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
 */
export const maxToolRounds = 10;

/**
 * The tools that Anthropic would run for a request. Code execution, MCP, fetching and the like are
 * billed by something that usage does not report, or for which the catalogue has no price.
 * @throws {GatewayError} `invalid_request` naming such a tool
 */
export function anthropicServerTools(fields: Fields, model: Model): ServerTools {
  for (const name of ["mcp_servers", "container"]) {
    const value = fields[name];
    if (value != null && !(Array.isArray(value) && value.length === 0)) throw refusedTool(name, name);
  }
  for (const [index, edit] of listOf(fieldsOf(fields["context_management"])["edits"]).entries()) {
    const type = textOf(fieldsOf(edit)["type"]) ?? "";
    if (!freeEdits.test(type)) throw refusedTool(type, `context_management.edits.${index}.type`);
  }
  const priced: PricedTool[] = [];
  let searchesTools = false;
  for (const [index, item] of listOf(fields["tools"]).entries()) {
    const tool = fieldsOf(item);
    const type = textOf(tool["type"]) ?? "custom";
    if (toolSearch.test(type)) searchesTools = true;
    else if (webSearch.test(type) && model.price.rates.has("web_searches")) {
      priced.push({ unit: "web_searches", maxUses: countOf(tool["max_uses"]) });
    } else if (!clientTools.test(type)) throw refusedTool(type, `tools.${index}.type`);
  }
  return { priced, searchesTools };
}

/** The tools of a request, with caps added to those without one; undefined when all have one. */
export function cappedTools(tools: unknown, maxUses: number): unknown[] | undefined {
  const list = listOf(tools);
  const uncapped = (tool: Fields): boolean =>
    webSearch.test(textOf(tool["type"]) ?? "") && countOf(tool["max_uses"]) === undefined;
  if (!list.some((tool) => uncapped(fieldsOf(tool)))) return undefined;
  return list.map((tool) => (uncapped(fieldsOf(tool)) ? { ...fieldsOf(tool), max_uses: maxUses } : tool));
}
