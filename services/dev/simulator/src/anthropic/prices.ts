import type { Rates } from "../reports/cost.ts";

/** List prices: https://platform.claude.com/docs/en/about-claude/pricing */
export const anthropicPrices: Readonly<Record<string, Rates>> = {
  "claude-opus-5-5": { input: 4, cached: 0.2, write: 5, write1h: 8, output: 20 },
  "claude-sonnet-5-5": { input: 2, cached: 0.1, write: 2.5, write1h: 4, output: 10 },
  "claude-haiku-5-5": {
    input: 0.1,
    cached: 0.01,
    write: 0.125,
    write1h: 0.2,
    output: 0.5,
    long: { above: 100_000, input: 0.5, cached: 0.05, write: 0.625, write1h: 1, output: 2.5 },
  },
  "claude-opus-5": { input: 5, cached: 0.5, write: 6.25, write1h: 10, output: 25 },
  "claude-sonnet-5": { input: 2, cached: 0.2, write: 2.5, write1h: 4, output: 10 },
  "claude-opus-4-8": { input: 5, cached: 0.5, write: 6.25, write1h: 10, output: 25 },
  "claude-opus-4-7": { input: 5, cached: 0.5, write: 6.25, write1h: 10, output: 25 },
  "claude-sonnet-4-6": { input: 3, cached: 0.3, write: 3.75, write1h: 6, output: 15 },
  "claude-opus-4-6": { input: 5, cached: 0.5, write: 6.25, write1h: 10, output: 25 },
  "claude-opus-4-5": { input: 5, cached: 0.5, write: 6.25, write1h: 10, output: 25 },
  "claude-haiku-4-5": { input: 1, cached: 0.1, write: 1.25, write1h: 2, output: 5 },
  "claude-sonnet-4-5": { input: 3, cached: 0.3, write: 3.75, write1h: 6, output: 15 },
};

/** USD for a thousand web searches, of every model. */
export const webSearchPrice = 10;
