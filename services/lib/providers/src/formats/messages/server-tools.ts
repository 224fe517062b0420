import type { Model } from "@uag/catalog/types";
import { countOf, type Fields, fieldsOf, listOf, textOf } from "../../conversation/fields.ts";
import { refusedTool, type ServerTool, type ServerTools } from "../server-tools.ts";

/** Tools run by the client, whatever their schema (Anthropic's list of tools). */
const clientTools = /^(custom|(bash|text_editor|memory)_\d{8}|(computer|browser)(_toolset)?_\d{8})$/;
const toolSearch = /^tool_search_tool_/;
const webSearch = /^web_search_\d{8}$/;
const webFetch = /^web_fetch_\d{8}$/;
/** Context edits that only drop content; a compaction is a model run of its own. */
const freeEdits = /^clear_/;

/**
 * Rounds per request: a loop on Anthropic's side pauses after ten of them (`pause_turn`).
 * https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
 */
export const maxToolRounds = 10;

/**
 * Input tokens held for one fetch, and the cap sent for its text where the client sets none. The
 * cap does not apply to PDFs, so a smaller one does not lower the hold: the largest example in
 * Anthropic's documentation is a PDF of this many tokens.
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-fetch-tool
 */
const fetchedTokens = 125_000;

/**
 * The tools that Anthropic would run for a request. Code execution, MCP and the like are billed by
 * something that usage does not report, or for which the catalogue has no price.
 * @throws {GatewayError} `invalid_request` naming what cannot be priced
 */
export function anthropicServerTools(fields: Fields, model: Model): ServerTools {
  for (const [index, edit] of listOf(fieldsOf(fields["context_management"])["edits"]).entries()) {
    const type = textOf(fieldsOf(edit)["type"]) ?? "";
    if (!freeEdits.test(type)) throw refusedTool(type, `context_management.edits.${index}.type`);
  }
  checkAddedTools(fields);
  const tools: ServerTool[] = [];
  let searchesTools = false;
  for (const [index, item] of listOf(fields["tools"]).entries()) {
    const tool = fieldsOf(item);
    const type = textOf(tool["type"]) ?? "custom";
    const served = serverTool(tool, type, model);
    if (served !== undefined) tools.push(served);
    else if (toolSearch.test(type)) searchesTools = true;
    else if (!clientTools.test(type)) throw refusedTool(type, `tools.${index}.type`);
  }
  return { tools, searchesTools, maxRounds: maxToolRounds };
}

/** A message may add tools to the request: any but a reference could be the provider's own. */
function checkAddedTools({ messages }: Fields): void {
  for (const [at, message] of listOf(messages).entries())
    for (const [index, item] of listOf(fieldsOf(message)["content"]).entries()) {
      const { type, tool } = fieldsOf(item);
      const added = textOf(fieldsOf(tool)["type"]) ?? "";
      if (type === "tool_addition" && added !== "tool_reference")
        throw refusedTool(added, `messages.${at}.content.${index}.tool.type`);
    }
}

function serverTool(tool: Fields, type: string, model: Model): ServerTool | undefined {
  const maxUses = countOf(tool["max_uses"]);
  if (webSearch.test(type) && model.price.rates.has("web_searches")) {
    return { unit: "web_searches", maxUses, resultTokens: undefined };
  }
  if (!webFetch.test(type)) return undefined;
  const resultTokens = Math.max(countOf(tool["max_content_tokens"]) ?? 0, fetchedTokens);
  return { unit: undefined, maxUses, resultTokens };
}

/**
 * The tools of a request with the caps that their hold assumes; undefined when all have their own.
 * @param maxUses the cap for tools without one, if any is without
 */
export function cappedTools(tools: unknown, maxUses: number | undefined): unknown[] | undefined {
  let changed = false;
  const capped = listOf(tools).map((tool) => {
    const missing = missingCaps(fieldsOf(tool), maxUses);
    if (Object.keys(missing).length === 0) return tool;
    changed = true;
    return { ...fieldsOf(tool), ...missing };
  });
  return changed ? capped : undefined;
}

function missingCaps(tool: Fields, maxUses: number | undefined): Fields {
  const type = textOf(tool["type"]) ?? "";
  const fetches = webFetch.test(type);
  const needsUses = (fetches || webSearch.test(type)) && countOf(tool["max_uses"]) === undefined;
  return {
    ...(needsUses && maxUses !== undefined && { max_uses: maxUses }),
    ...(fetches && countOf(tool["max_content_tokens"]) === undefined && { max_content_tokens: fetchedTokens }),
  };
}
