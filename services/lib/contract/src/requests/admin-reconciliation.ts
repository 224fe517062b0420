import { z } from "zod";
import { name } from "./admin-fields.ts";

/** Query of `GET /admin/v1/reconciliations`. */
export const reconciliationQuery = z.strictObject({
  provider: name.optional().describe("Only this provider."),
  from: z.iso
    .date("A day must be a date such as 2027-01-31.")
    .optional()
    .describe("UTC; default: 31 days before `to`."),
  to: z.iso.date("A day must be a date such as 2027-01-31.").optional().describe("UTC, inclusive; default: today."),
});
