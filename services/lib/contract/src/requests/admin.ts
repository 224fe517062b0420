import { z } from "zod";
import { keyFields } from "../key-fields.ts";
import { adminRoles, deliveryStates } from "../responses/admin-fields.ts";
import { expires, id, name, pageFields, usd } from "./admin-fields.ts";

/** Requests of the admin API about accounts, keys, tokens and webhooks. */

/** A listing without filters. */
export const pageQuery = z.strictObject(pageFields);

const accountId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "An account id must have 1 to 64 letters, digits, _ or -.");
const maxTopUpNanoUsd = 1_000_000_000_000_000_000n;

/** Body of `POST /admin/v1/accounts`. */
export const createAccountRequest = z.strictObject({ id: accountId.optional(), name: name.default("") });

/** Body of `PATCH /admin/v1/accounts/{id}`. */
export const updateAccountRequest = z.strictObject({
  name: name.optional(),
  keep_answers: z
    .boolean()
    .optional()
    .describe("Whether responses under an Idempotency-Key are stored; applies within a minute."),
  lower_output_cap: z
    .boolean()
    .optional()
    .describe(
      "When the balance does not cover a request that sets no `max_tokens`: whether its output is capped at what the balance covers, which `x-gateway-max-tokens` reports. If false, it is refused with `insufficient_balance`. Web searches without `max_uses` are limited likewise. Applies within a second.",
    ),
  store_responses: z
    .boolean()
    .optional()
    .describe(
      "Whether responses of `POST /v1/responses` are stored, encrypted, for 30 days, unless a request has `store: false`: then `previous_response_id`, `conversation` and `GET /v1/responses/{id}` are available. Applies within a second.",
    ),
  disabled: z
    .boolean()
    .optional()
    .describe(
      "Whether requests with the account's API keys are refused with `account_disabled`; applies within a second. Requests in progress are completed and billed.",
    ),
});

/** Body of `POST /admin/v1/accounts/{id}/top-ups`; its amount in nano-USD. */
export const topUpRequest = z.strictObject({
  amount_usd: usd.refine(
    (nano) => nano !== 0n && nano <= maxTopUpNanoUsd && nano >= -maxTopUpNanoUsd,
    "The amount must not be 0, and at most a billion USD.",
  ),
  reference: z.string().min(1).max(200),
  note: z.string().max(1_000).default(""),
});

const maxOverlapSeconds = 30 * 86_400;
const usualOverlapSeconds = 86_400;

/** Body of `POST /admin/v1/keys`. */
export const createKeyRequest = z.strictObject({
  account_id: id.optional().describe("Optional if there is only one account, or if the token is limited to one."),
  ...keyFields,
});

/** Body of `PATCH /admin/v1/keys/{id}`: at least one field. */
export const updateKeyRequest = z
  .strictObject(keyFields)
  .refine((fields) => Object.keys(fields).length > 0, "Set at least one field to change.");

/** Body of `POST /admin/v1/keys/{id}/regenerate`, which is optional. */
export const regenerateKeyRequest = z.strictObject({
  overlap_seconds: z.int("Must be whole seconds.").min(0).max(maxOverlapSeconds).default(0),
});

/** Query of `GET /admin/v1/keys`. */
export const keyListQuery = z.strictObject({
  ...pageFields,
  account: id.optional(),
  alias: name.optional(),
  search: name
    .min(1, "A search must have at least one character.")
    .optional()
    .describe("Part of an alias; case-insensitive."),
  tag: name
    .min(1, "A tag must have at least one character.")
    .optional()
    .describe("One of the texts of `metadata.tags`."),
  sort: z
    .enum(["-created", "created", "alias", "-alias"])
    .default("-created")
    .describe("Sort by creation time or alias; prefix with - for descending order."),
  include_revoked: z.enum(["true", "false"]).optional(),
});

/** Body of `POST /admin/v1/tokens`. */
export const createTokenRequest = z.strictObject({
  name: name.min(1, "A token must have a name."),
  role: z.enum(adminRoles, `A role must be one of ${adminRoles.join(", ")}.`).default("operator"),
  account_id: id.nullable().optional(),
  budget_id: id
    .nullable()
    .optional()
    .describe("Limits the token to this budget of the account, to those below it, and to their keys."),
  expires: expires.optional(),
});

/** Query of `GET /admin/v1/audit-log`. */
export const auditLogQuery = z.strictObject({
  ...pageFields,
  account: id.optional(),
  target: id.optional(),
  action: z
    .string()
    .regex(/^[a-z_.]{1,64}$/, "An action must be a name such as key.update.")
    .optional(),
});

/** Body of `POST /admin/v1/webhooks/secrets`. */
export const createSecretRequest = z.strictObject({
  account_id: id,
  overlap_seconds: z
    .int("Must be whole seconds.")
    .min(0, "An overlap must not be negative.")
    .max(maxOverlapSeconds, "An overlap must be at most 30 days.")
    .default(usualOverlapSeconds),
});

/** Query of `GET /admin/v1/webhooks/secrets`. */
export const secretListQuery = z.strictObject({ account: id });

/** Query of `GET /admin/v1/webhooks/deliveries`. */
export const deliveryListQuery = z.strictObject({
  ...pageFields,
  account: id.optional(),
  state: z.enum(deliveryStates).optional(),
  task: id.optional(),
  alert: id.optional(),
});
