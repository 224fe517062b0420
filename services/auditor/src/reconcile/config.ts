import { scaledDecimal } from "@uag/untrusted/decimal";
import { z } from "zod";

const hourMs = 3_600_000;
const providerUrl = z
  .url({ protocol: /^https?$/ })
  .refine((text) => text.startsWith("https:") || /^(127\.|localhost$|\[::1\]$)/.test(new URL(text).hostname), {
    error: "must be an https URL: an admin key is sent to it",
  });
const percent = z.string().transform((text, context) => {
  const ppm = scaledDecimal(text, 4);
  if (ppm !== undefined && ppm >= 0n && ppm <= 1_000_000n) return ppm;
  context.addIssue({ code: "custom", message: "must be a percentage such as 0.5" });
  return z.NEVER;
});
const scope = z.string().min(1).optional();

/** Where the auditor stores its results. */
export const ownDatabase = {
  MONGODB_URL: z
    .string()
    .min(1)
    .describe("MongoDB replica set, as a user who may read billing's database and write its own."),
  MONGODB_DATABASE: z.string().min(1).default("audit").describe("Database of the checkpoints."),
};

/** Settings of the comparison with providers' own reports. */
export const reconcileSettings = {
  METERING_DATABASE: z.string().min(1).default("metering").describe("Database that holds the usage events."),
  OPENAI_ADMIN_KEY: scope.describe(
    "Admin key of the OpenAI organization, to compare usage with OpenAI's. Do not share it.",
  ),
  OPENAI_ADMIN_BASE_URL: providerUrl
    .default("https://api.openai.com/v1")
    .describe("Base URL of OpenAI's administration API."),
  OPENAI_ADMIN_PROJECT: scope.describe("Compare with this project only; unset: with the whole organization."),
  ANTHROPIC_ADMIN_KEY: scope.describe(
    "Admin key of the Anthropic organization, to compare usage with Anthropic's. Do not share it.",
  ),
  ANTHROPIC_ADMIN_BASE_URL: providerUrl
    .default("https://api.anthropic.com")
    .describe("Base URL of Anthropic's administration API."),
  ANTHROPIC_ADMIN_WORKSPACE: scope.describe("Compare with this workspace only; unset: with the whole organization."),
  HTTPS_PROXY: z.string().optional().describe("Proxy for calls to providers; `NO_PROXY` names exceptions."),
  RECONCILE_EVERY_MS: z.coerce
    .number()
    .int()
    .min(1_000)
    .default(24 * hourMs)
    .describe("How often usage is compared with the providers'."),
  RECONCILE_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(31)
    .default(7)
    .describe("Number of past days that each comparison covers: providers revise their reports."),
  RECONCILE_SETTLED_HOURS: z.coerce
    .number()
    .int()
    .min(0)
    .max(31 * 24)
    .default(24)
    .describe(
      "How long after its end (UTC) a day's report may change: until then, a difference does not count as drift.",
    ),
  RECONCILE_TOLERANCE_PERCENT: percent
    .default(5_000n)
    .describe("Maximum difference between our figure and the provider's, in percent of the larger one; default 0.5."),
};

export const reconcileSchema = z.object({ ...ownDatabase, ...reconcileSettings });

export type ReconcileConfig = z.infer<typeof reconcileSchema>;
