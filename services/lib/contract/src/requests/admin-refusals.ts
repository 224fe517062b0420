import { z } from "zod";
import { refusalReasons } from "../messages/refusals.ts";
import { refusalGroupings, seriesBuckets } from "../responses/admin-fields.ts";
import { id, time } from "./admin-fields.ts";
import { topField } from "./admin-usage.ts";

const filterFields = {
  account: id.optional(),
  key: id.optional(),
  reason: z.enum(refusalReasons).optional().describe("The error code."),
} as const;

/** Query of `GET /admin/v1/refusals`. */
export const refusalListQuery = z.strictObject(filterFields);

/** Query of `GET /admin/v1/refusals/series`. */
export const refusalSeriesQuery = z.strictObject({
  ...filterFields,
  from: time.optional(),
  until: time.optional(),
  bucket: z
    .enum(seriesBuckets)
    .default("hour")
    .describe("UTC. Without `from`: the last day by hour, 30 days by day, a year by month. At most 31 days by hour."),
  group_by: z.enum(refusalGroupings).default("none"),
  top: topField.describe("The number of groups, most refusals first; all others are combined into one."),
});
