import { z } from "zod";
import { outcomes, seriesBuckets, seriesGroupings } from "../responses/admin-fields.ts";
import { id, name, pageFields, time, usd } from "./admin-fields.ts";

/** Which usage is requested. */
const filterFields = {
  from: time.optional(),
  until: time.optional(),
  account: id.optional(),
  key: id.optional(),
  model: name.optional(),
  operation: name.optional(),
  provider: name.optional(),
} as const;

/**
 * Which requests are listed. Times and `account`, `request` and `error_code` are looked up in an
 * index; a search by the others that takes longer than ten seconds fails.
 */
const eventFields = {
  outcome: z.enum(outcomes).optional(),
  status: z
    .string()
    .regex(/^[1-5]\d\d$/, "A status must be an HTTP status.")
    .transform(Number)
    .optional()
    .describe("The HTTP status of the response."),
  error_code: z
    .string()
    .regex(/^[a-z_]{1,64}$/, "An error code has only lower-case letters and underscores.")
    .optional()
    .describe("The error code that the client received."),
  min_duration_ms: z
    .string()
    .regex(/^\d{1,9}$/, "A duration must be a whole number of milliseconds.")
    .transform(Number)
    .optional()
    .describe("Only requests that took at least this many milliseconds."),
  request: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe("The gateway's id of the request, the client's (`x-request-id`), or a provider's of any call for it."),
  tag: z.string().min(1).max(100).optional().describe("Only requests of keys with this tag; at most 100 keys."),
  min_cost_usd: usd
    .refine((nano) => nano >= 0n, "A cost must be 0 or more.")
    .optional()
    .describe("Only requests that cost at least this many USD."),
} as const;

/** The filters of a usage query. */
export type UsageFilterFields = z.output<z.ZodObject<typeof filterFields>> &
  Partial<z.output<z.ZodObject<typeof eventFields>>>;

/** Query of `GET /admin/v1/usage`. */
export const usageListQuery = z.strictObject({
  ...pageFields,
  ...filterFields,
  bucket: z.enum(["hour", "day"]).default("day"),
});

/** Query of `GET /admin/v1/usage/events`. */
export const eventListQuery = z.strictObject({ ...pageFields, ...filterFields, ...eventFields });

const maxGroups = 50;
const wrongTop = `top must be from 1 to ${maxGroups}.`;

/** The number of groups of a series. */
export const topField = z
  .string()
  .regex(/^\d{1,2}$/, wrongTop)
  .transform(Number)
  .refine((max) => max >= 1 && max <= maxGroups, wrongTop)
  .default(10);

/** Query of `GET /admin/v1/usage/series`. */
export const usageSeriesQuery = z.strictObject({
  ...filterFields,
  bucket: z
    .enum(seriesBuckets)
    .default("day")
    .describe("UTC. Without `from`: the last day by hour, 30 days by day, a year by month. At most 31 days by hour."),
  group_by: z.enum(seriesGroupings).default("none"),
  top: topField.describe(
    "The number of groups, highest cost first; all others are combined into one. A series has at most 10,000 points.",
  ),
});

/** Query of `GET /admin/v1/usage/export`. */
export const usageExportQuery = z.strictObject({
  ...filterFields,
  ...eventFields,
  after: pageFields.after,
  format: z.enum(["csv", "ndjson"]).default("ndjson"),
});
