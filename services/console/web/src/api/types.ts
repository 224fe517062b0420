import type * as admin from "@uag/contract/answers/admin.ts";
import type { model } from "@uag/contract/answers/chat.ts";
import type { z } from "zod";

// The shapes stand in the contract; here they only get names.
export type Account = z.infer<typeof admin.account>;
export type Key = z.infer<typeof admin.key>;
export type NewKey = z.infer<typeof admin.newKey>;
export type UsageEvent = z.infer<typeof admin.listedUsageEvent>;
export type UsageBucket = z.infer<typeof admin.usageBucket>;
export type LedgerEntry = z.infer<typeof admin.ledgerEntry>;
export type Repair = z.infer<typeof admin.repair>;
export type AuditRecord = z.infer<typeof admin.auditRecord>;
export type WebhookSecret = z.infer<typeof admin.webhookSecret>;
export type NewWebhookSecret = z.infer<typeof admin.newWebhookSecret>;
export type WebhookDelivery = z.infer<typeof admin.webhookDelivery>;
export type WebhookDeliveryWithBody = z.infer<typeof admin.webhookDeliveryWithBody>;
export type Model = z.infer<typeof model>;

/** One page of a listing. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}
