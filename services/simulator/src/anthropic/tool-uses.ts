import type { MessagesRequest } from "./schema.ts";

/** Tokens of one search's results, about as many as the provider's own. */
const tokensOfResults = 15_000;
/** A loop on the provider's side pauses after this many rounds. */
const maxRounds = 10;

/** How often the provider searches for a request: at most as often as its tool allows. */
export function searchesOf({ tools = [] }: MessagesRequest, calls = 0): number {
  const tool = tools.find(({ type }) => type?.startsWith("web_search_"));
  if (tool === undefined) return 0;
  const allowed = typeof tool["max_uses"] === "number" ? tool["max_uses"] : maxRounds;
  return Math.min(calls, allowed, maxRounds);
}

/**
 * Input tokens of the rounds after the first: each reads the prompt again, all results so far, and
 * the output.
 */
export function inputOfSearches(searches: number, promptTokens: number, outputTokens: number): number {
  const results = (tokensOfResults * searches * (searches + 1)) / 2;
  return searches * (promptTokens + outputTokens) + results;
}

/** The blocks of the searches, before the answer. */
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
