import { z } from "zod";
import { envelope, envelopeWithCosts } from "./envelopes.ts";

const ownership = {
  account_id: z.string(),
  root_key_id: z
    .string()
    .describe("The key that opened it, or the highest envelope above it. Its limits and budgets apply."),
};

/** An envelope of any account. */
export const adminEnvelope = z.object({ ...envelope.shape, ...ownership });

/** An envelope of any account with the receipt of its run. */
export const adminEnvelopeWithCosts = z.object({ ...envelopeWithCosts.shape, ...ownership });
