import { z } from "zod";
import { count, time } from "./admin-fields.ts";

/** What a comparison with a provider's report can come to. */
export const reconciliationStates = ["agrees", "drifts", "unreadable"] as const;
/** What a single figure can. */
export const figureStates = ["agrees", "drifts", "not_comparable"] as const;

const figure = z.object({
  model: z.string().nullable().describe("The provider's name of the model; null for the day's total."),
  unit: z.string().describe("A unit of prices, or `usd`."),
  ours: z.string().nullable().describe("A whole number, or USD; null: we do not count it."),
  theirs: z.string().nullable().describe("Likewise; null: the provider does not report it."),
  difference: z.string().nullable().describe("Ours less theirs."),
  coverage_percent: z.number().nullable().describe("The part of theirs that ours accounts for."),
  state: z.enum(figureStates).describe("`not_comparable`: one side does not count it."),
});

/** One day of a provider: what we metered, and what the provider reports. */
export const reconciliation = z.object({
  object: z.literal("reconciliation"),
  provider: z.string(),
  day: z.iso.date().describe("UTC."),
  state: z.enum(reconciliationStates).describe("`unreadable`: it could not be compared; never taken for 0."),
  settled: z.boolean().describe("False while the provider may still add to the day: a difference is no drift yet."),
  unreadable: z.array(z.string()).describe("Why something could not be read, a sentence each."),
  requests: count.describe("Ours that reached the provider."),
  estimated_requests: count.describe("Those of them that are billed by estimate."),
  revisions: count.describe("How often the provider has changed its figures since they were first read."),
  compared_at: time,
  figures: z.array(figure),
});
