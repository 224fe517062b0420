import { z } from "zod";
import { maxRefusalText, refusalReasons } from "../messages/refusals.ts";
import { count, refusalGroupings, seriesBuckets, time } from "./admin-fields.ts";

/** A request of a known key that was refused before admission. It costs nothing and has no receipt. */
export const refusal = z.object({
  object: z.literal("refusal"),
  request_id: z.string(),
  account_id: z.string(),
  key_id: z.string(),
  reason: z.enum(refusalReasons).describe("The error code."),
  status: count.describe("The HTTP status of the response."),
  operation: z.string(),
  model: z.string().nullable().describe("Null when the request was refused before its model was known."),
  message: z
    .string()
    .describe(
      `The error's message, at most ${maxRefusalText} characters, without anything that looks like a credential.`,
    ),
  refused_at: time,
});

/** Refusals over time. */
export const refusalSeries = z.object({
  object: z.literal("refusal_series"),
  bucket: z.enum(seriesBuckets),
  group_by: z.enum(refusalGroupings),
  from: time,
  until: time,
  groups: z
    .array(
      z.object({
        name: z.string().nullable().describe("The account, key or reason; null without groups."),
        other: z.boolean().describe("True for the group that combines all others."),
        total: count,
        points: z
          .array(z.object({ start: time, refusals: count }))
          .describe("Oldest first; periods without refusals are omitted."),
      }),
    )
    .describe("Most refusals first; all others combined last."),
});
