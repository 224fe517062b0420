import { z } from "zod";

const count = z.int().min(0);
const time = z.iso.datetime();
const nano = z.int().describe("Nano-USD.");
const usd = z.string().describe("USD, to the last nano-dollar.");

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

export const account = z.looseObject({
  id: z.string(),
  object: z.literal("account"),
  name: z.string(),
  created_at: time.nullable(),
  keep_answers: z.boolean().describe("Whether answers under an Idempotency-Key are stored."),
  ...columns,
  repaid_usd: usd,
  repaid_nano_usd: nano,
});

export const topUp = z.looseObject({
  object: z.literal("top_up"),
  reference: z.string(),
  note: z.string(),
  amount_usd: usd,
  amount_nano_usd: nano,
  account,
});

export const key = z.looseObject({
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
  metadata: z.record(z.string(), z.unknown()),
  created_at: time.nullable(),
  expires: time.nullable(),
  revoked_at: time.nullable(),
});

export const newKey = key.extend({
  key: z.string().describe("The key itself, shown this once."),
  snippets: z
    .looseObject({
      curl: z.string(),
      openai_javascript: z.string(),
      openai_python: z.string(),
      anthropic_python: z.string(),
      claude_code: z.string(),
    })
    .describe("Ready to be pasted, with the key in them."),
});

export const usageEvent = z.looseObject({
  request_id: z.string(),
  account_id: z.string(),
  key_id: z.string(),
  operation: z.string(),
  model: z.string(),
  outcome: z.string(),
  settlement_rule: z
    .enum(["unspecified", "completed", "drained", "aborted_estimate", "nothing_owed", "last_checkpoint"])
    .describe("By which rule the bill was made; see what happens when a client leaves."),
  pricing: z.string(),
  cost_usd: usd,
  cost_nano_usd: nano,
  units: z.record(z.string(), count),
});

export const usageBucket = z.looseObject({
  object: z.literal("usage_bucket"),
  start: time,
  account_id: z.string(),
  key_id: z.string(),
  model: z.string(),
  operation: z.string(),
  requests: count,
  cost_usd: usd,
  cost_nano_usd: nano,
  units: z.record(z.string(), count),
});

export const ledgerEntry = z.looseObject({
  id: z.string(),
  object: z.literal("ledger_entry"),
  account_id: z.string(),
  seq: count,
  kind: z.string(),
  at: time.nullable(),
  ...columns,
  request_id: z.string().nullable(),
  event: usageEvent.nullable(),
});

export const repair = z.looseObject({
  object: z.literal("repair"),
  status: z.string(),
  charged_usd: usd,
  charged_nano_usd: nano,
});

export const token = z.looseObject({
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

export const auditRecord = z.looseObject({
  id: z.string(),
  object: z.literal("audit_record"),
  at: time.nullable(),
  action: z.string(),
  target_id: z.string(),
  account_id: z.string().nullable(),
  actor: z.looseObject({ id: z.string(), name: z.string(), request_id: z.string().nullable() }),
  client_address: z.string().nullable(),
  seq: z.int().nullable(),
  previous_hash: z.string().nullable(),
  hash: z.string().nullable(),
});

export const webhookSecret = z.looseObject({
  id: z.string(),
  object: z.literal("webhook_secret"),
  account_id: z.string(),
  hint: z.string(),
  created_at: time.nullable(),
  ends_at: time.nullable(),
});

export const newWebhookSecret = webhookSecret.extend({ secret: z.string().describe("Shown this once.") });

export const webhookDelivery = z.looseObject({
  id: z.string(),
  object: z.literal("webhook_delivery"),
  account_id: z.string(),
  task_id: z.string(),
  type: z.string(),
  url: z.string(),
  state: z.string(),
  created_at: time.nullable(),
  next_attempt_at: time.nullable(),
  attempts: z.array(z.looseObject({ at: time.nullable(), status: z.int().nullable(), error: z.string().nullable() })),
});

/** One page of a listing. */
export const listOf = (item: z.ZodType): z.ZodType =>
  z.looseObject({
    object: z.literal("list"),
    data: z.array(item),
    has_more: z.boolean(),
    next_cursor: z.string().nullable().describe("Goes on as `after`."),
  });
