import { z } from "zod";
import { count, time, usd } from "./admin-fields.ts";

/** Whether an envelope accepts requests. */
export const envelopeStates = ["open", "expired", "closed"] as const;

/** An envelope. Its amounts include those of the envelopes below it. */
export const envelope = z.object({
  id: z.string(),
  object: z.literal("envelope"),
  name: z.string(),
  parent: z.string().nullable().describe("The envelope above it."),
  key_id: z.string().describe("Id of its key, as in receipts and usage."),
  status: z.enum(envelopeStates).describe("Only the key of an open one is accepted."),
  max_usd: usd,
  spent_usd: usd.describe("Charged, also to the envelopes below it."),
  reserved_usd: usd.describe(
    "Held by requests under way, and by services ahead of requests. What they do not use returns: at once when the envelope is closed or another request needs it, else within minutes.",
  ),
  remaining_usd: usd.describe("`max_usd` less `spent_usd` and `reserved_usd`; 0 unless it is open."),
  models: z.array(z.string()).describe("Empty: all models."),
  created_at: time,
  expires_at: time,
  closed_at: time.nullable(),
});

/** An envelope with the secret of its key. */
export const newEnvelope = z.object({
  ...envelope.shape,
  key: z.string().describe("Its API key. It is shown this once."),
});

/** What each envelope of a run cost. */
const costs = z.object({
  total_usd: usd.describe("The sum of all `own_usd`."),
  envelopes: z
    .array(
      z.object({
        id: z.string(),
        parent: z.string().nullable(),
        name: z.string(),
        key_id: z.string(),
        status: z.enum(envelopeStates),
        own_usd: usd.describe("Charged for requests of its own key."),
        total_usd: usd.describe("`own_usd`, and that of the envelopes below it."),
        models: z.array(z.object({ model: z.string(), requests: count, cost_usd: usd })),
      }),
    )
    .describe("The envelope, then those below it in the order of their creation."),
});

/** An envelope with what it and those below it cost. */
export const envelopeWithCosts = z.object({
  ...envelope.shape,
  costs: costs.describe(
    "The receipt of the run. Requests that have not been charged yet are missing: within seconds of the last response, `total_usd` equals `spent_usd`.",
  ),
});

/** One page of envelopes, the newest first. */
export const envelopeList = z.object({
  object: z.literal("list"),
  data: z.array(envelope),
  has_more: z.boolean(),
  next_cursor: z.string().nullable().describe("For the parameter `after`."),
});
