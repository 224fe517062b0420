import { z } from "zod";
import { priceTableNames } from "../responses/admin-prices.ts";
import { name, time, usd } from "./admin-fields.ts";

const price = usd.refine((nanoUsd) => nanoUsd >= 0n, "A price must not be negative.");
const tokens = z.int().positive();
const maxModels = 2_000;
const maxPrices = 64;

/** Body of `POST /admin/v1/prices/tables`. */
export const putPriceTableRequest = z.strictObject({
  name: z.enum(priceTableNames),
  origin: name.describe("The table's package and version."),
  prices: z
    .array(
      z.strictObject({
        provider: name.describe("The catalogue's name of the provider."),
        model: name.describe("The provider's name for the model."),
        link: z
          .url({ protocol: /^https?$/ })
          .max(2_000)
          .optional()
          .describe("The vendor's page."),
        rates: z
          .record(name, price)
          .refine((rates) => Object.keys(rates).length <= maxPrices, `At most ${maxPrices} prices.`)
          .describe("Prices as in the catalogue, in USD, by unit, variant and tier."),
        context_tokens: tokens.optional().describe("The longest input."),
        max_output_tokens: tokens.optional().describe("The longest output."),
      }),
    )
    .max(maxModels),
});

/** Body of `POST /admin/v1/prices`. */
export const acceptPriceRequest = z.strictObject({
  model: name,
  price_version: name.describe("The version that was reviewed."),
  from: z.enum(priceTableNames).optional().describe("The table to follow; default: the prices that both have."),
  effective_from: time.optional().describe("Default: now."),
  confirm: z.boolean().optional().describe("Required where the change has `second_looks`."),
});
