import { z } from "zod";

/** `GET /v1/dashboard/billing/subscription`, in the format of OpenAI's former endpoint. */
export const subscription = z.object({
  object: z.literal("billing_subscription"),
  has_payment_method: z.boolean(),
  plan: z.object({ id: z.string(), title: z.string() }),
  soft_limit_usd: z.number(),
  hard_limit_usd: z.number(),
  system_hard_limit_usd: z.number(),
  access_until: z.int().describe("Unix time, seconds."),
});

/** `GET /v1/dashboard/billing/usage`, in the format of OpenAI's former endpoint. */
export const usage = z.object({
  object: z.literal("list"),
  total_usage: z.number().describe("US cents."),
  daily_costs: z.array(
    z.object({
      timestamp: z.int().describe("Start of the day (UTC), Unix time, seconds."),
      line_items: z.array(z.object({ name: z.string(), cost: z.number().describe("US cents.") })),
    }),
  ),
});
