import { z } from "zod";
import { adminRoles, alertKinds, count, deliveryStates, hash, nano, time, usd } from "./admin-fields.ts";

/** An API key without its secret. */
export const key = z.object({
  id: z.string(),
  object: z.literal("key"),
  account_id: z.string(),
  key_alias: z.string(),
  hint: z.string(),
  models: z.array(z.string()).describe("Empty: every model."),
  rpm_limit: count.nullable(),
  tpm_limit: count.nullable(),
  max_parallel_requests: count.nullable(),
  max_budget: z.number().nullable().describe("USD a month."),
  max_budget_nano_usd: nano.nullable().describe("The same in nano-USD, to the last digit."),
  metadata: z.record(z.string(), z.unknown()),
  created_at: time.nullable(),
  expires: time.nullable(),
  revoked_at: time.nullable(),
  version: count.describe("Grows with every change of the key."),
});

/** A key with its recent use. */
export const usedKey = key.extend({
  last_used_at: time
    .nullable()
    .describe("When its last request ended, to the minute; null: never, or it cannot be told just now."),
  requests_last_hour: count.nullable().describe("About; null when it cannot be told just now."),
});

/** A newly created key: the only response with its secret. */
export const newKey = key.extend({
  key: z.string().describe("The key itself, shown this once."),
  snippets: z
    .object({
      curl: z.string(),
      openai_javascript: z.string(),
      openai_python: z.string(),
      anthropic_python: z.string(),
      claude_code: z.string(),
      codex: z.string(),
      mcp: z.string(),
    })
    .describe("Ready to be pasted, with the key in them."),
});

/** An admin token without its secret. */
export const token = z.object({
  id: z.string(),
  object: z.literal("admin_token"),
  name: z.string(),
  hint: z.string(),
  role: z.enum(adminRoles).nullable(),
  account_id: z.string().nullable(),
  created_at: time.nullable(),
  expires: time.nullable(),
  revoked_at: time.nullable(),
});

/** A newly created admin token: the only response with its secret. */
export const newToken = token.extend({ token: z.string().describe("The token itself, shown this once.") });

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
  before: z.unknown().describe("What was changed, as it was before; null where nothing was."),
  after: z.unknown().describe("As it is now; null where nothing is."),
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
  secret: z.string().describe("Shown this once."),
});

/** A webhook or a mail, and its delivery attempts. */
export const webhookDelivery = z.object({
  id: z.string(),
  object: z.literal("webhook_delivery"),
  account_id: z.string(),
  task_id: z.string().nullable().describe("Null for a spend alert's."),
  alert_id: z.string().nullable().describe("Null for a task's."),
  type: z.string(),
  url: z.string().describe("Without its query; `mailto:` and the address for a mail."),
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
export const webhookDeliveryWithBody = webhookDelivery.extend({ body: z.string().describe("What is sent.") });

/** A spend alert: who is told when a part of an amount is spent, or little is left. */
export const alert = z.object({
  id: z.string(),
  object: z.literal("spend_alert"),
  account_id: z.string(),
  kind: z.enum(alertKinds),
  key_id: z.string().nullable().describe("Null: all the account's keys together."),
  name: z.string(),
  monthly_usd: usd.nullable().describe("What is 100 %; of `budget`, the key's as it is now. Null while nothing is."),
  monthly_nano_usd: nano.nullable(),
  below_usd: usd.nullable().describe("Of `balance` alone."),
  thresholds: z.array(count).describe("Percent, ascending; none of `balance`."),
  webhook_url: z.string().nullable().describe("Without its query, which may carry a secret."),
  emails: z.array(z.string()),
  created_at: time.nullable(),
  created_by: z.object({ id: z.string(), name: z.string() }).nullable(),
  month: z.string().describe("The current one, UTC."),
  spent_usd: usd.describe("In the current month, by what is settled."),
  spent_nano_usd: nano,
  balance_usd: usd.nullable().describe("What is left, held money included. Of `balance` alone."),
  notices: z
    .array(
      z.object({
        month: z.string(),
        threshold: count.nullable().describe("Null for a low balance."),
        monthly_usd: usd.nullable().describe("What was 100 % then."),
        spent_usd: usd,
        below_usd: usd.nullable().describe("What less than was left of then."),
        balance_usd: usd.nullable(),
        at: time.nullable(),
      }),
    )
    .describe("What was told lately, the oldest first."),
});

/** One page of a listing. */
export const listOf = (item: z.ZodType): z.ZodType =>
  z.object({
    object: z.literal("list"),
    data: z.array(item),
    has_more: z.boolean(),
    next_cursor: z.string().nullable().describe("Goes on as `after`."),
  });
