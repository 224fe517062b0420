import { z } from "zod";
import { expires, id, limit, maxNameLength, metadata, name, usd } from "./requests/admin-fields.ts";
import { routingStrategy } from "./requests/admin-models.ts";
import { count, nano, time } from "./responses/admin-fields.ts";

const maxModels = 1_000;

/** Models that a key, or the keys below a budget, may use. */
const models = z
  .array(
    z
      .string()
      .min(1, "A model's name must not be empty.")
      .max(maxNameLength, "A model's name can have at most 200 characters."),
  )
  .max(maxModels, `A list can have at most ${maxModels} models.`);

/** Limits of a budget for the keys below it together, with the names that they have for a key. */
export const levelFields = {
  rpm_limit: limit.optional().describe("Requests a minute of all keys below the budget together; null: no limit."),
  tpm_limit: limit.optional().describe("Tokens a minute of all keys below the budget together; null: no limit."),
  max_parallel_requests: limit
    .optional()
    .describe("Requests at the same time of all keys below the budget together; null: no limit."),
  models: models
    .optional()
    .describe("Models that the keys below the budget may use, of those that they may use anyway; empty: all of them."),
} as const;

/** The fields of a key that describe it. */
export const descriptiveFields = {
  key_alias: name.optional(),
  metadata: metadata.optional(),
} as const;

/**
 * The fields of a key that limit what it may do. An owner of an account can limit each for its
 * members.
 */
export const limitFields = {
  models: models.optional(),
  expires: expires.optional(),
  rpm_limit: limit.optional(),
  tpm_limit: limit.optional(),
  max_parallel_requests: limit.optional(),
  max_budget: usd
    .refine((nano) => nano > 0n, "A budget must be more than 0; null means none.")
    .nullable()
    .optional(),
  budget_id: id
    .nullable()
    .optional()
    .describe("A budget of the account that the key shares with other keys; null: none."),
} as const;

/** The fields of a key that only administrators of all accounts may set: they know the upstreams. */
export const operatorFields = {
  routing_strategy: routingStrategy
    .nullable()
    .optional()
    .describe(
      "How the key's requests are distributed over the upstreams of each model, in place of the model's `strategy`; null: as the model's. Only a token of all accounts may set it.",
    ),
} as const;

/** The fields of a key that can be set at creation and changed later. */
export const keyFields = { ...descriptiveFields, ...limitFields, ...operatorFields } as const;

/** The same fields in responses. */
export const shownKeyFields = {
  key_alias: z.string(),
  models: z.array(z.string()).describe("Empty: all models."),
  expires: time.nullable(),
  rpm_limit: count.nullable(),
  tpm_limit: count.nullable(),
  max_parallel_requests: count.nullable(),
  max_budget: z.number().nullable().describe("USD a month."),
  budget_id: z.string().nullable().describe("The budget that it shares with other keys."),
  max_budget_nano_usd: nano.nullable().describe("The same amount in nano-USD, exact."),
  metadata: z.record(z.string(), z.unknown()),
  routing_strategy: z.enum(routingStrategy.options).nullable().describe("Null: as each model's `strategy`."),
} as const satisfies Record<keyof typeof keyFields, z.ZodType> & Record<string, z.ZodType>;
