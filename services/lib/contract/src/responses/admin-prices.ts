import { z } from "zod";
import { count, time } from "./admin-fields.ts";

/** The public tables of prices. */
export const priceTableNames = ["litellm", "genai-prices"] as const;
/** The results of a comparison that someone must look at. */
const priceFindings = ["changed", "missing", "one_source", "disagree"] as const;

const usd = z.string();

/** A public table of prices. */
export const priceTable = z.object({
  object: z.literal("price_table"),
  name: z.string(),
  origin: z.string().describe("The table's package and version."),
  put_at: time,
  models: count.describe("Models of the catalogue that it has."),
});

const difference = z.object({
  price: z.string().describe("A unit, with its variant and its tier."),
  ours_usd: usd.nullable(),
  theirs_usd: z.record(z.string(), usd).describe("By the table's name."),
  finding: z.enum(priceFindings).describe("`missing`: both tables price a unit that the catalogue does not."),
});

const change = z.object({
  price: z.string(),
  before_usd: usd.nullable(),
  after_usd: usd,
  change_percent: z.number().nullable().describe("Null if it had no price, or was free."),
  last_month_usd: usd.nullable().describe("The cost of last month's usage (UTC); null for the price of a tier."),
  last_month_after_usd: usd.nullable().describe("Its cost at the new price."),
});

/** The catalogue's prices beside the public tables. */
export const priceReview = z.object({
  object: z.literal("price_review"),
  tables: z.array(priceTable),
  models: z.array(
    z.object({
      model: z.string(),
      price_version: z.string(),
      link: z.string().nullable().describe("The vendor's page."),
      differences: z.array(difference),
      options: z
        .array(
          z.object({
            from: z.string().nullable().describe("The table that the change follows; null: what both have."),
            changes: z.array(change),
            second_looks: z.array(z.string()).describe("The reasons why the change must be confirmed."),
          }),
        )
        .describe("The changes that can be accepted."),
    }),
  ),
  accepted: z
    .array(
      z.object({
        model: z.string(),
        effective_from: time,
        accepted_by: z.string(),
        reason: z.string(),
        price: z.record(z.string(), z.unknown()).describe("The whole price, as in the catalogue."),
      }),
    )
    .describe("Prices that were accepted in the running gateway, not in the catalogue's file; oldest first."),
  total_models: count,
  covered_models: count.describe("Models that a table has."),
});

/** A price that was accepted. */
export const acceptedPrice = z.object({
  object: z.literal("accepted_price"),
  model: z.string(),
  price_version: z.string(),
  effective_from: time,
  accepted_by: z.string(),
  reason: z.string(),
});
