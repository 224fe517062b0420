import { z } from "zod";
import { id, maxNameLength, name, pageFields, usd } from "./admin-fields.ts";

const maxTtl = 30 * 86_400;
const maxModels = 100;
const maxNanoUsd = 100_000_000_000_000n;

/** Body of `POST /v1/envelopes`. */
export const createEnvelopeRequest = z.strictObject({
  max_usd: usd
    .refine((nano) => nano > 0n && nano <= maxNanoUsd, "An envelope must have more than 0 and at most 100,000 USD.")
    .describe(
      "The most that all requests of its key may cost, and of the keys of envelopes below it. It is a limit within those of the key and its account; nothing is set aside. At most that of the envelope above.",
    ),
  ttl: z
    .int()
    .min(10, "An envelope lasts at least 10 seconds.")
    .max(maxTtl, "An envelope lasts at most 30 days.")
    .describe("Seconds until it expires. It expires with the envelope above it and the key at the latest."),
  models: z
    .array(z.string().min(1).max(maxNameLength))
    .min(1, "Name at least one model, or omit the field.")
    .max(maxModels, `An envelope can list at most ${maxModels} models.`)
    .optional()
    .describe(
      "Models that its key may use; an entry may end in `*`. Only those of the key above; default: all of them.",
    ),
  parent: id
    .optional()
    .describe(
      "The envelope above it, of at most four levels. The key of an envelope has its own by default, and can name those below.",
    ),
  name: name.default("").describe("Named in errors and receipts, such as `planner`."),
});

/** Body of `POST /v1/envelopes/{id}/close`, which may be omitted. */
export const closeEnvelopeRequest = z.strictObject({});

/** Query of `GET /v1/envelopes`. */
export const envelopeListQuery = z.strictObject({
  limit: pageFields.limit.describe("At most 100; default 100."),
  after: pageFields.after.describe("The `next_cursor` of the previous page."),
});
