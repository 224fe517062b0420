import type { Steering } from "../content/steer.ts";
import type { MessagesRequest } from "./schema.ts";

/** Tokens of one search's results, about as many as the provider's own. */
const tokensOfResults = 15_000;
/** Tokens of one fetched page: a large page of documentation, by the provider's own examples. */
const tokensOfPage = 25_000;
/** A loop on the provider's side pauses after this many rounds. */
const maxRounds = 10;

/** What the provider itself does before it responds, in order. */
export type ToolUse = "search" | "fetch";

/** The uses of the provider's own tools: at most as many as the request allows of each. */
export function toolUsesOf(request: MessagesRequest, { searches = 0, fetches = 0 }: Steering): ToolUse[] {
  const uses: ToolUse[] = [
    ...repeated("search", Math.min(searches, allowedUses(request, "web_search_"))),
    ...repeated("fetch", Math.min(fetches, allowedUses(request, "web_fetch_"))),
  ];
  return uses.slice(0, maxRounds);
}

function allowedUses({ tools = [] }: MessagesRequest, prefix: string): number {
  const tool = tools.find(({ type }) => type?.startsWith(prefix));
  if (tool === undefined) return 0;
  return typeof tool["max_uses"] === "number" ? tool["max_uses"] : maxRounds;
}

const repeated = (use: ToolUse, count: number): ToolUse[] => Array.from({ length: count }, () => use);

/**
 * Input tokens of the rounds after the first: each reads the prompt again, all results so far, and
 * the output.
 */
export function inputOfUses(uses: readonly ToolUse[], promptTokens: number, outputTokens: number): number {
  let found = 0;
  let input = 0;
  for (const use of uses) {
    found += use === "search" ? tokensOfResults : tokensOfPage;
    input += promptTokens + outputTokens + found;
  }
  return input;
}

/** The blocks of the uses, before the response's text. */
export function toolUseBlocks(uses: readonly ToolUse[], newId: (prefix: string) => string): object[] {
  return uses.flatMap((use, n) => {
    const id = newId("srvtoolu_01");
    return use === "search" ? searchBlocks(id, n + 1) : fetchBlocks(id, n + 1);
  });
}

function searchBlocks(id: string, n: number): object[] {
  const found = { type: "web_search_result", title: `Result ${n}`, url: `https://example.com/${n}` };
  return [
    { type: "server_tool_use", id, name: "web_search", input: { query: `query ${n}` } },
    { type: "web_search_tool_result", tool_use_id: id, content: [{ ...found, encrypted_content: "", page_age: null }] },
  ];
}

function fetchBlocks(id: string, n: number): object[] {
  const url = `https://example.com/${n}`;
  const source = { type: "text", media_type: "text/plain", data: `Page ${n}` };
  const content = { type: "document", source, title: `Page ${n}`, citations: null };
  return [
    { type: "server_tool_use", id, name: "web_fetch", input: { url } },
    {
      type: "web_fetch_tool_result",
      tool_use_id: id,
      content: { type: "web_fetch_result", url, content, retrieved_at: "2026-01-01T00:00:00Z" },
    },
  ];
}
