import { z } from "zod";
import { shownKeyFields } from "../key-fields.ts";
import { adminRoles, alertKinds, budgetKinds, count, deliveryStates, hash, nano, time, usd } from "./admin-fields.ts";

/** An API key without its secret. */
export const key = z.object({
  id: z.string(),
  object: z.literal("key"),
  account_id: z.string(),
  hint: z.string(),
  ...shownKeyFields,
  created_at: time.nullable(),
  revoked_at: time.nullable(),
  version: count.describe("Increases with every change to the key."),
});

/** A key with its recent use. */
export const usedKey = key.extend({
  last_used_at: time
    .nullable()
    .describe("When its last request ended, to the minute; null if never or currently unknown."),
  requests_last_hour: count.nullable().describe("Approximate; null if currently unknown."),
  spent_this_month_usd: usd
    .nullable()
    .describe("What its requests of this calendar month (UTC) cost, without write-offs; null if currently unknown."),
  spent_this_month_nano_usd: nano.nullable(),
});

const limitUse = z.object({ limit: count, used: count }).nullable();

/** How much of its limits and its budget a key uses now. */
export const keyUse = z.object({
  object: z.literal("key_use"),
  key_id: z.string(),
  account_id: z.string(),
  requests_per_minute: limitUse.describe("Requests in the last 60 seconds; null without a limit."),
  tokens_per_minute: limitUse.describe("Tokens in the last 60 seconds; null without a limit."),
  parallel_requests: limitUse.describe("Requests in progress; null without a limit."),
  budget: z
    .object({
      limit_usd: usd,
      limit_nano_usd: nano,
      spent_usd: usd.describe("Charged this calendar month (UTC)."),
      spent_nano_usd: nano,
      held_usd: usd.describe("Reserved in advance for requests of this key."),
      held_nano_usd: nano,
      resets_at: time,
      expected_usd: usd.describe("What the month will cost if the rest of it is like the time so far."),
      expected_nano_usd: nano,
      runs_out_at: time.nullable().describe("When the budget is spent at that rate; null if it lasts for the month."),
    })
    .nullable()
    .describe("Null without a budget."),
});

/** A newly created key: the only response with its secret. */
export const newKey = key.extend({
  key: z.string().describe("The key, shown only once."),
  snippets: z
    .object({
      curl: z.string(),
      openai_javascript: z.string(),
      openai_python: z.string(),
      anthropic_python: z.string(),
      google_curl: z.string(),
      google_javascript: z.string(),
      google_python: z.string(),
      claude_code: z.string(),
      codex: z.string(),
      gemini_cli: z.string(),
      mcp: z.string(),
    })
    .describe("Ready to paste, with the key."),
});

/** An admin token without its secret. */
export const token = z.object({
  id: z.string(),
  object: z.literal("admin_token"),
  name: z.string(),
  hint: z.string(),
  role: z.enum(adminRoles).nullable(),
  account_id: z.string().nullable(),
  budget_id: z.string().nullable().describe("The budget that it is limited to, with those below; null for none."),
  created_at: time.nullable(),
  expires: time.nullable(),
  revoked_at: time.nullable(),
});

/** A newly created admin token: the only response with its secret. */
export const newToken = token.extend({ token: z.string().describe("The token, shown only once.") });

/** An administrator's action: a row of the audit log. */
export const auditRecord = z.object({
  id: z.string(),
  object: z.literal("audit_record"),
  at: time.nullable(),
  action: z.string(),
  target_id: z.string(),
  account_id: z.string().nullable(),
  actor: z.object({ id: z.string(), name: z.string(), request_id: z.string().nullable() }),
  client_address: z.string().nullable(),
  before: z.unknown().describe("The changed fields' previous values; null if there were none."),
  after: z.unknown().describe("The current value; null if there is none."),
  seq: z.int().nullable().describe("Null for records that are older than the chain."),
  previous_hash: hash.nullable(),
  hash: hash.nullable(),
});

/** A signing secret of an account's webhooks, without the secret itself. */
export const webhookSecret = z.object({
  id: z.string(),
  object: z.literal("webhook_secret"),
  account_id: z.string(),
  hint: z.string(),
  created_at: time.nullable(),
  ends_at: time.nullable(),
  created_by: z.object({ id: z.string(), name: z.string() }).nullable(),
});

/** A newly created webhook secret: the only response with the secret itself. */
export const newWebhookSecret = webhookSecret.extend({
  earlier_secrets_end_at: time.nullable(),
  secret: z.string().describe("Shown only once."),
});

/** A webhook or a mail, and its delivery attempts. */
export const webhookDelivery = z.object({
  id: z.string(),
  object: z.literal("webhook_delivery"),
  account_id: z.string(),
  task_id: z.string().nullable().describe("Null for a spend alert."),
  alert_id: z.string().nullable().describe("Null for a task."),
  type: z.string(),
  url: z.string().describe("Without its query; `mailto:` with the address for an email."),
  state: z.enum(deliveryStates),
  created_at: time.nullable(),
  next_attempt_at: time.nullable(),
  attempts: z.array(
    z.object({
      at: time.nullable(),
      duration_ms: count,
      status: z.int().nullable(),
      error: z.string().nullable(),
    }),
  ),
});

/** A webhook delivery with its request body. */
export const webhookDeliveryWithBody = webhookDelivery.extend({ body: z.string().describe("The request body.") });

/** A spend alert: it notifies its recipients at a share of an amount, or at a low balance. */
export const alert = z.object({
  id: z.string(),
  object: z.literal("spend_alert"),
  account_id: z.string(),
  kind: z.enum(alertKinds),
  key_id: z.string().nullable().describe("Null: all keys of the account together, or the shared budget's."),
  budget_id: z.string().nullable().describe("The shared budget; null for none."),
  name: z.string(),
  monthly_usd: usd
    .nullable()
    .describe(
      "The amount that is 100%; for `budget`, the current budget of the key, or the shared budget. Null if there is none.",
    ),
  monthly_nano_usd: nano.nullable(),
  below_usd: usd.nullable().describe("Only for `balance`."),
  thresholds: z.array(count).describe("Percentages, ascending; empty for `balance`."),
  webhook_url: z.string().nullable().describe("Without its query, which may contain a secret."),
  emails: z.array(z.string()),
  unconfirmed_emails: z
    .array(z.string())
    .nullable()
    .describe(
      "The addresses in `emails` that are not confirmed yet and receive only a confirmation mail. Null while the service that sends mail is unavailable.",
    ),
  created_at: time.nullable(),
  created_by: z.object({ id: z.string(), name: z.string() }).nullable(),
  month: z
    .string()
    .describe(
      "The current month, UTC. Of a shared budget its current period: a month, the first day of a week, a day, or `total`.",
    ),
  spent_usd: usd.describe("Settled spending in the current month or period."),
  spent_nano_usd: nano,
  balance_usd: usd.nullable().describe("The remaining balance, holds included. Only for `balance`."),
  notices: z
    .array(
      z.object({
        month: z.string(),
        threshold: count.nullable().describe("Null for a low balance."),
        monthly_usd: usd.nullable().describe("The amount that was 100% at that time."),
        spent_usd: usd,
        below_usd: usd.nullable().describe("The alert's limit at that time."),
        balance_usd: usd.nullable(),
        at: time.nullable(),
      }),
    )
    .describe("Recent notifications, oldest first."),
});

/** A budget of messages; refills evenly over an hour. */
export const messageBudget = z.object({
  object: z.literal("message_budget"),
  kind: z
    .enum(budgetKinds)
    .describe(
      "`mail`, `webhook`: mails and webhook calls triggered by tests, replays and new addresses. `notice`: notices of alerts. `url`: URLs in requests that the gateway fetches; permits that a process holds in advance count as used.",
    ),
  per_hour: count,
  used: count,
  full_at: time.nullable().describe("When the budget is full again; null if it is full."),
});

/** One page of a listing. */
export const listOf = (item: z.ZodType): z.ZodType =>
  z.object({
    object: z.literal("list"),
    data: z.array(item),
    has_more: z.boolean(),
    next_cursor: z.string().nullable().describe("Pass it as `after` to get the next page."),
  });
