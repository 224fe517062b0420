import { z } from "zod";
import { count, hash, nano, time, usd } from "./admin-fields.ts";
import { usageEvent } from "./admin-usage.ts";
import { publicReceipt } from "./receipts.ts";

const columns = {
  available_usd: usd,
  available_nano_usd: nano,
  held_usd: usd,
  held_nano_usd: nano,
  charged_usd: usd,
  charged_nano_usd: nano,
  written_off_usd: usd,
  written_off_nano_usd: nano,
  topped_up_usd: usd,
  topped_up_nano_usd: nano,
};

/** An account with its balance. */
export const account = z.object({
  id: z.string(),
  object: z.literal("account"),
  name: z.string(),
  created_at: time.nullable(),
  keep_answers: z.boolean().describe("Whether responses under an Idempotency-Key are stored."),
  lower_output_cap: z
    .boolean()
    .describe("Whether a request without `max_tokens` is capped at what the balance covers, instead of refused."),
  store_responses: z.boolean().describe("Whether responses of `POST /v1/responses` are stored."),
  disabled: z.boolean().describe("Whether requests with the account's API keys are refused."),
  ...columns,
  repaid_usd: usd,
  repaid_nano_usd: nano,
});

/** A payment into an account. The same reference is booked only once. */
export const topUp = z.object({
  object: z.literal("top_up"),
  reference: z.string(),
  note: z.string(),
  amount_usd: usd,
  amount_nano_usd: nano,
  account,
});

/** A row of an account's ledger. */
export const ledgerEntry = z.object({
  id: z.string(),
  object: z.literal("ledger_entry"),
  account_id: z.string(),
  seq: count,
  kind: z.string(),
  at: time.nullable(),
  ...columns,
  request_id: z.string().nullable(),
  grant_id: z.string().nullable(),
  note: z.string(),
  event: usageEvent.nullable(),
  previous_hash: hash,
  hash,
});

const reason = z.string().nullable();

const attempt = z.object({
  provider: z.string(),
  model: z.string().describe("The provider's name for the model."),
  credential: z
    .string()
    .nullable()
    .describe("The provider's credential: its name, or such as `sk-...abcd`; null if it was called without one."),
  provider_reason: reason.describe(
    "Why this provider was called, as in the header `x-gateway-routing`; null if there was no choice.",
  ),
  credential_reason: reason.describe("Why with this credential; null if there was no choice."),
  started_at: time.nullable(),
  duration_ms: count,
  outcome: z.string().describe("`answered`, or the kind of failure, such as `timeout` or `capacity`."),
  status: z.int().nullable().describe("The failed provider's HTTP status, if any."),
  code: z.string().nullable().describe("The failed provider's own error code."),
  message: z
    .string()
    .nullable()
    .describe(
      "Why the call failed: the provider's message or the gateway's, without secrets, at most 300 characters. Null for the successful call, and for a failure of the operator's account at the provider unless an administrator of all accounts asks.",
    ),
  provider_request_id: z.string().nullable().describe("The failed provider's ID of the call."),
  mid_stream: z.boolean().describe("True if the client had received a part of the response."),
});

/** Everything known about one request's bill. */
export const receipt = z.object({
  object: z.literal("receipt"),
  event: usageEvent,
  items: publicReceipt.shape.items,
  cache_saving: publicReceipt.shape.cache_saving,
  attempts: z.array(attempt).describe("Provider calls in order; at most 16 failed ones."),
  ledger: z.array(ledgerEntry).describe("Its ledger rows, newest first."),
});

/** A grant: money of an account that one process has reserved for its requests. */
export const hold = z.object({
  id: z.string(),
  object: z.literal("hold"),
  holder_id: z.string(),
  service: z.string().nullable().describe("The holder's service; null if no longer known."),
  key_id: z.string().nullable().describe("Set if only this key may spend it."),
  purpose: z.enum(["requests", "task"]),
  open: z.boolean().describe("True if it can admit requests; otherwise it is waiting for its open requests."),
  amount_usd: usd,
  amount_nano_usd: nano,
  held_usd: usd.describe("The remainder: neither charged nor returned."),
  held_nano_usd: nano,
  created_at: time.nullable(),
  until: time.nullable().describe("When the task's hold ends; null if it lasts as long as its holder."),
});

/** The figures for predicting when a balance runs out. */
export const forecast = z.object({
  object: z.literal("forecast"),
  account_id: z.string(),
  available_usd: usd,
  available_nano_usd: nano,
  held_usd: usd,
  held_nano_usd: nano,
  spent_last_7_days_usd: usd,
  spent_last_7_days_nano_usd: nano,
  days: z
    .array(z.object({ start: time, cost_usd: usd, cost_nano_usd: nano }))
    .describe("The last seven periods of 24 hours, oldest first."),
  days_left: z
    .number()
    .nullable()
    .describe("Days until the balance runs out at the rate of those seven days; null if nothing was spent."),
});

/** The totals of a month's ledger rows. */
export const invoice = z.object({
  object: z.literal("invoice"),
  account_id: z.string(),
  month: z.string().describe("For example 2027-01 (UTC)."),
  closed: z.boolean().describe("True if the month is over and final."),
  opening_usd: usd.describe("The account's money at the start of the month, holds included."),
  opening_nano_usd: nano,
  topped_up_usd: usd,
  topped_up_nano_usd: nano,
  corrected_usd: usd,
  corrected_nano_usd: nano,
  charged_usd: usd.describe("The sum of all lines and repayments."),
  charged_nano_usd: nano,
  repaid_usd: usd.describe("Repayments of earlier write-offs."),
  repaid_nano_usd: nano,
  closing_usd: usd.describe("Opening plus top-ups and corrections, minus charges; exact to the nano-dollar."),
  closing_nano_usd: nano,
  written_off_usd: usd.describe("Cost that the balance did not cover. Not charged."),
  written_off_nano_usd: nano,
  lines: z
    .array(z.object({ model: z.string(), requests: count, charged_usd: usd, charged_nano_usd: nano }))
    .describe("By model, most expensive first."),
});

/** A bill that an operator priced after the fact. */
export const repair = z.object({
  object: z.literal("repair"),
  request_id: z.string(),
  account_id: z.string(),
  model: z.string(),
  status: z.enum([
    "unknown",
    "repaired",
    "repaired_earlier",
    "no_price",
    "no_usage",
    "implausible_usage",
    "would_be_repaired",
  ]),
  charged_usd: usd,
  charged_nano_usd: nano,
  written_off_usd: usd,
  written_off_nano_usd: nano,
  price_version: z.string().nullable(),
});
