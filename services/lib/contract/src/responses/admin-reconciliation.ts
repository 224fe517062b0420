import { z } from "zod";
import { count, time } from "./admin-fields.ts";

/** Outcome of a comparison with a provider's report. */
const reconciliationStates = ["agrees", "drifts", "unreadable"] as const;
/** Outcome for a single figure. */
const figureStates = ["agrees", "drifts", "not_comparable"] as const;

const figure = z.object({
  model: z.string().nullable().describe("The provider's name for the model; null for the day's total."),
  unit: z.string().describe("A price unit, or `usd`."),
  ours: z.string().nullable().describe("An integer, or USD; null if the gateway does not count it."),
  theirs: z.string().nullable().describe("An integer, or USD; null if the provider does not report it."),
  difference: z.string().nullable().describe("Our figure minus the provider's."),
  coverage_percent: z.number().nullable().describe("Our figure as a share of the provider's."),
  state: z.enum(figureStates).describe("`not_comparable`: one side does not count it."),
});

/** One day of a provider: what we metered, and what the provider reports. */
export const reconciliation = z.object({
  object: z.literal("reconciliation"),
  provider: z.string(),
  day: z.iso.date().describe("UTC."),
  state: z.enum(reconciliationStates).describe("`unreadable`: the day could not be compared; it does not count as 0."),
  settled: z
    .boolean()
    .describe("False while the provider may still add usage to the day; a difference does not count as drift yet."),
  unreadable: z.array(z.string()).describe("The reasons why data could not be read, one sentence each."),
  requests: count.describe("Our requests that reached the provider."),
  estimated_requests: count.describe("Requests billed by estimate."),
  revisions: count.describe(
    "The number of times that the provider has changed its figures since they were first read.",
  ),
  compared_at: time,
  figures: z.array(figure),
});
