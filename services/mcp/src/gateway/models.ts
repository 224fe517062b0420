import { model, modelList } from "@uag/contract/responses/chat";
import type { z } from "zod";

/** A model in the response of `GET /v1/models`. */
export const modelSchema = model.pick({
  id: true,
  display_name: true,
  owned_by: true,
  operations: true,
  input_modalities: true,
  output_modalities: true,
  context_tokens: true,
  max_output_tokens: true,
  image: true,
  price: true,
});

export type Model = z.infer<typeof modelSchema>;

export const modelListSchema = modelList.pick({ data: true }).extend({ data: modelSchema.array() });

/** A model's prices, on one line: `input_tokens 0.15, output_tokens 0.6`, or `0`. */
export function priceLine({ price }: Model): string {
  const prices = Object.entries(price.usd).map(([unit, usd]) => `${unit} ${usd}`);
  return prices.length === 0 ? "0" : prices.join(", ");
}
