/** The upstreams of the page's tables, each represented by a model of the catalogue. */
export const columns = {
  OpenAI: "gpt-4.1",
  "OpenAI (reasoning)": "gpt-5.5",
  Anthropic: "claude-sonnet-4-6",
  Gemini: "gemini-2.5-flash",
  DashScope: "qwen-plus",
  xAI: "grok-4.5",
  Moonshot: "kimi-k2.6",
  DeepSeek: "deepseek-flash",
} as const;

/** The title of a column. */
export type Column = keyof typeof columns;
export const columnNames = Object.keys(columns) as readonly Column[];
