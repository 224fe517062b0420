import { z } from "zod";
import { nano, usd } from "./admin-fields.ts";

/** An upper bound of what a request costs; nothing was called, held or billed for it. */
export const estimate = z.object({
  object: z.literal("estimate"),
  /** The operation's name in usage events. */
  operation: z.string(),
  model: z.string(),
  price_version: z.string().meta({ description: "The version of the model's price, as on the receipt." }),
  max_cost_usd: usd.meta({
    description:
      "The request costs at most this much, whether the model or one of its fallbacks responds. Long prompts are counted.",
  }),
  max_cost_nano_usd: nano,
  hold_usd: usd.meta({
    description: "The amount reserved from the balance while the request runs, if the balance covers it.",
  }),
  hold_nano_usd: nano,
  tokens: z.int().meta({ description: "What the request takes from the key's tokens per minute until it ends." }),
});

/** A parsed estimate. */
export type Estimate = z.output<typeof estimate>;
