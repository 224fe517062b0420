import { z } from "zod";
import { count, hash, nano, time, usd } from "./admin-fields.ts";
import { usageEvent } from "./admin-usage.ts";

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
  keep_answers: z.boolean().describe("Whether answers under an Idempotency-Key are stored."),
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

const attempt = z.object({
  provider: z.string(),
  model: z.string().describe("The model's name there."),
  started_at: time.nullable(),
  duration_ms: count,
  outcome: z.string().describe("`answered`, or why it came to nothing, such as `timeout` or `capacity`."),
  status: z.int().nullable().describe("The HTTP status of a provider that failed, where there was one."),
});

/** Everything known about one request's bill. */
export const receipt = z.object({
  object: z.literal("receipt"),
  event: usageEvent,
  items: z
    .array(
      z.object({
        unit: z.string(),
        quantity: count,
        price_usd: z
          .string()
          .nullable()
          .describe("USD for `per` of it; null when the price of that time is not known."),
        per: count.nullable(),
        cost_usd: z.string().nullable().describe("USD before rounding, with 15 decimals."),
      }),
    )
    .describe("The costs of the units, added up and rounded up once to a whole nano-dollar, are what was charged."),
  attempts: z.array(attempt).describe("Calls to providers in their order; of those that failed the first 16."),
  ledger: z.array(ledgerEntry).describe("What the ledger has about it, the newest first."),
});

/** A grant: money of an account that one process has reserved for its requests. */
export const hold = z.object({
  id: z.string(),
  object: z.literal("hold"),
  holder_id: z.string(),
  service: z.string().nullable().describe("What the holder serves; null when that is not known any more."),
  key_id: z.string().nullable().describe("Set when only this key may spend it."),
  purpose: z.enum(["requests", "task"]),
  open: z.boolean().describe("Requests may still begin on it; if not, it waits for those that did."),
  amount_usd: usd,
  amount_nano_usd: nano,
  held_usd: usd.describe("What is left of it: neither charged nor given back."),
  held_nano_usd: nano,
  created_at: time.nullable(),
  until: time.nullable().describe("By when a task is settled; null: as long as its holder lives."),
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
    .describe("The last seven times 24 hours, the oldest first."),
  days_left: z
    .number()
    .nullable()
    .describe("How long the money lasts if it goes on as in those seven days; null when nothing was spent."),
});

/** The totals of a month's ledger rows. */
export const invoice = z.object({
  object: z.literal("invoice"),
  account_id: z.string(),
  month: z.string().describe("As 2027-01 (UTC)."),
  closed: z.boolean().describe("The month is over, and nothing can be added to it."),
  opening_usd: usd.describe("All the account's money, held or not, at its beginning."),
  opening_nano_usd: nano,
  topped_up_usd: usd,
  topped_up_nano_usd: nano,
  corrected_usd: usd,
  corrected_nano_usd: nano,
  charged_usd: usd.describe("All lines, and what was repaid."),
  charged_nano_usd: nano,
  repaid_usd: usd.describe("Repaid of what earlier requests had cost beyond the account's money."),
  repaid_nano_usd: nano,
  closing_usd: usd.describe("Opening, topped up and corrected, less charged: to the nano-dollar."),
  closing_nano_usd: nano,
  written_off_usd: usd.describe("What requests cost beyond the account's money. Not charged."),
  written_off_nano_usd: nano,
  lines: z
    .array(z.object({ model: z.string(), requests: count, charged_usd: usd, charged_nano_usd: nano }))
    .describe("By model, the dearest first."),
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
