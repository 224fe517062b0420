import { z } from "zod";

const prices = z.record(z.string(), z.number());

/** A model as `GET /v1/models` tells of it. */
export const modelSchema = z.object({
  id: z.string(),
  display_name: z.string(),
  owned_by: z.string(),
  operations: z.array(z.string()),
  input_modalities: z.array(z.string()),
  output_modalities: z.array(z.string()),
  context_tokens: z.number().optional(),
  max_output_tokens: z.number().optional(),
  image: z
    .object({
      family: z.string(),
      sizes: z.array(z.string()),
      references: z.object({ min: z.number(), max: z.number() }),
      max_images: z.number(),
    })
    .optional(),
  price: z.object({ usd: prices, tiers: z.array(z.object({ above_input_tokens: z.number(), usd: prices })) }),
});

export type Model = z.infer<typeof modelSchema>;

export const modelListSchema = z.object({ data: z.array(modelSchema) });

/** What a model costs, on one line: `input_tokens 0.15, output_tokens 0.6`. */
export function priceLine({ price }: Model): string {
  return Object.entries(price.usd)
    .map(([unit, usd]) => `${unit} ${usd}`)
    .join(", ");
}
