import { z } from "zod";

const count = z.int().min(0);
const time = z.iso.datetime();
const nano = z.int().describe("Nano-USD.");
const usd = z.string().describe("USD, to the last nano-dollar.");
const hash = z.string().describe("SHA-256 in hex, over the record and the hash before it.");

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

/** An account and its money. */
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

export const topUp = z.object({
  object: z.literal("top_up"),
  reference: z.string(),
  note: z.string(),
  amount_usd: usd,
  amount_nano_usd: nano,
  account,
});

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

export const newKey = key.extend({
  key: z.string().describe("The key itself, shown this once."),
  snippets: z
    .object({
      curl: z.string(),
      openai_javascript: z.string(),
      openai_python: z.string(),
      anthropic_python: z.string(),
      claude_code: z.string(),
    })
    .describe("Ready to be pasted, with the key in them."),
});

/** What is recorded of one request, and billed for it. */
export const usageEvent = z.object({
  request_id: z.string(),
  account_id: z.string(),
  key_id: z.string(),
  operation: z.string(),
  model: z.string(),
  upstream: z.string().describe("The provider that answered; empty when none was asked."),
  upstream_model: z.string().describe("The model's name there."),
  started_at: time.nullable(),
  ended_at: time.nullable(),
  outcome: z.enum(["unspecified", "completed", "disconnected", "failed", "crashed"]).describe("How the request ended."),
  settlement_rule: z
    .enum(["unspecified", "completed", "drained", "aborted_estimate", "nothing_owed", "last_checkpoint"])
    .describe("By which rule the bill was made; see what happens when a client leaves."),
  pricing: z
    .enum(["unspecified", "exact", "estimated", "unpriced"])
    .describe("What is known of the price: what is `unpriced` is charged when it has been repaired."),
  cost_usd: usd,
  cost_nano_usd: nano,
  price_version: z.string().describe("Of the catalogue that the price is from."),
  units: z.record(z.string(), count).describe("What is paid for, by unit."),
  raw_usage: z.unknown().describe("What the provider said of the usage; null when it said nothing."),
  attempts: count.describe("Calls to providers."),
  status: count.describe("The HTTP status that the client was told."),
  stream: z.boolean(),
});

/** A usage event as a row of a listing. */
export const listedUsageEvent = z.object({ object: z.literal("usage_event"), ...usageEvent.shape });

export const usageBucket = z.object({
  object: z.literal("usage_bucket"),
  start: time,
  account_id: z.string(),
  key_id: z.string(),
  model: z.string(),
  operation: z.string(),
  requests: count,
  cost_usd: usd,
  cost_nano_usd: nano,
  written_off_usd: usd,
  written_off_nano_usd: nano,
  units: z.record(z.string(), count),
});

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

export const repair = z.object({
  object: z.literal("repair"),
  request_id: z.string(),
  account_id: z.string(),
  model: z.string(),
  status: z.enum(["unknown", "repaired", "repaired_earlier", "no_price", "no_usage", "would_be_repaired"]),
  charged_usd: usd,
  charged_nano_usd: nano,
  written_off_usd: usd,
  written_off_nano_usd: nano,
  price_version: z.string().nullable(),
});

export const token = z.object({
  id: z.string(),
  object: z.literal("admin_token"),
  name: z.string(),
  hint: z.string(),
  role: z.enum(["operator", "billing", "keys", "read-only"]).nullable(),
  account_id: z.string().nullable(),
  created_at: time.nullable(),
  expires: time.nullable(),
  revoked_at: time.nullable(),
});

export const newToken = token.extend({ token: z.string().describe("The token itself, shown this once.") });

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

export const webhookSecret = z.object({
  id: z.string(),
  object: z.literal("webhook_secret"),
  account_id: z.string(),
  hint: z.string(),
  created_at: time.nullable(),
  ends_at: time.nullable(),
  created_by: z.object({ id: z.string(), name: z.string() }).nullable(),
});

export const newWebhookSecret = webhookSecret.extend({
  earlier_secrets_end_at: time.nullable(),
  secret: z.string().describe("Shown this once."),
});

export const webhookDelivery = z.object({
  id: z.string(),
  object: z.literal("webhook_delivery"),
  account_id: z.string(),
  task_id: z.string(),
  type: z.string(),
  url: z.string(),
  state: z.enum(["pending", "delivered", "failed", "stopped"]),
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

export const webhookDeliveryWithBody = webhookDelivery.extend({ body: z.string().describe("What is sent.") });

/** One page of a listing. */
export const listOf = (item: z.ZodType): z.ZodType =>
  z.object({
    object: z.literal("list"),
    data: z.array(item),
    has_more: z.boolean(),
    next_cursor: z.string().nullable().describe("Goes on as `after`."),
  });
