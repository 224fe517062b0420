import type { MessagesRequest } from "./schema.ts";

/** What one search's results come to, about as many as the provider's own. */
const tokensOfResults = 15_000;
/** A loop on the provider's side pauses after so many rounds. */
const maxRounds = 10;

/**
 * How often the provider searches for a request that asks it to: no oftener than its tool allows.
 */
export function searchesOf({ tools = [] }: MessagesRequest, calls = 0): number {
  const tool = tools.find(({ type }) => type?.startsWith("web_search_"));
  if (tool === undefined) return 0;
  const allowed = typeof tool["max_uses"] === "number" ? tool["max_uses"] : maxRounds;
  return Math.min(calls, allowed, maxRounds);
}

/**
 * Input of the rounds behind the first: each reads the prompt again, all results so far, and what
 * was written.
 */
export function inputOfSearches(searches: number, promptTokens: number, outputTokens: number): number {
  const results = (tokensOfResults * searches * (searches + 1)) / 2;
  return searches * (promptTokens + outputTokens) + results;
}

/** The blocks that tell of the searches, before the answer. */
export function searchBlocks(searches: number, newId: (prefix: string) => string): object[] {
  return Array.from({ length: searches }, (_, n) => {
    const id = newId("srvtoolu_01");
    const found = { type: "web_search_result", title: `Result ${n + 1}`, url: `https://example.com/${n + 1}` };
    return [
      { type: "server_tool_use", id, name: "web_search", input: { query: `query ${n + 1}` } },
      {
        type: "web_search_tool_result",
        tool_use_id: id,
        content: [{ ...found, encrypted_content: "", page_age: null }],
      },
    ];
  }).flat();
}
