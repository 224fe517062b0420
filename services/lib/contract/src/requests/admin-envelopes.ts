import { z } from "zod";
import { id } from "./admin-fields.ts";
import { envelopeListQuery } from "./envelopes.ts";

/** Query of `GET /admin/v1/envelopes`. */
export const adminEnvelopeListQuery = z.strictObject({
  ...envelopeListQuery.shape,
  account: id.optional().describe("Only envelopes of this account."),
  state: z
    .enum(["open", "ended"])
    .optional()
    .describe("`open`: those whose keys are accepted. `ended`: those that expired or were closed. Default: both."),
});
