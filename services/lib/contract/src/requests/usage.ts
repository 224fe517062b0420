import { z } from "zod";

/** The query of `GET /v1/dashboard/billing/usage`. */
export const billingUsageQuery = z.object({
  start_date: z.iso.date().optional().describe("First day (UTC)."),
  end_date: z.iso.date().optional().describe("The day (UTC) after the last."),
});
