import { z } from "zod";

/** What OpenRouter's API returns, as far as it is imported: https://openrouter.ai/docs/api/api-reference */

const usd = z.number();

/** Of `GET /api/v1/keys`, with a management key. */
export const key = z.object({
  hash: z.string(),
  name: z.string(),
  label: z.string().describe("Such as `sk-or-v1-0e6...c96`."),
  disabled: z.boolean(),
  limit: usd.nullable().describe("Null: no limit."),
  limit_remaining: usd.nullish(),
  limit_reset: z.string().nullish().describe("`daily`, `weekly` or `monthly`, at midnight UTC; null: never."),
  expires_at: z.string().nullish(),
});

/** Of `GET /api/v1/models`. */
export const model = z.object({ id: z.string() });

/** Of `GET /api/v1/activity`, with a management key: the sums of a day, a model and an endpoint. */
export const activity = z.object({
  date: z.string(),
  model: z.string(),
  usage: usd,
  byok_usage_inference: usd.nullish().describe("What keys of one's own provider accounts cost there."),
  requests: z.number(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
});

export type Key = z.output<typeof key>;
export type Model = z.output<typeof model>;
export type Activity = z.output<typeof activity>;
