import type * as admin from "@uag/contract/responses/admin";
import type * as budgets from "@uag/contract/responses/admin-budgets";
import type * as envelopes from "@uag/contract/responses/admin-envelopes";
import type * as fleets from "@uag/contract/responses/admin-fleet";
import type * as money from "@uag/contract/responses/admin-money";
import type * as priced from "@uag/contract/responses/admin-prices";
import type * as provided from "@uag/contract/responses/admin-providers";
import type * as reconciled from "@uag/contract/responses/admin-reconciliation";
import type * as refused from "@uag/contract/responses/admin-refusals";
import type * as used from "@uag/contract/responses/admin-usage";
import type { model } from "@uag/contract/responses/chat";
import type { z } from "zod";

// The shapes are defined in the contract and only named here.
export type Account = z.infer<typeof money.account>;
export type CatalogModel = z.infer<typeof fleets.catalogModel>;
export type Fleet = z.infer<typeof fleets.fleet>;
export type Forecast = z.infer<typeof money.forecast>;
export type Hold = z.infer<typeof money.hold>;
export type Invoice = z.infer<typeof money.invoice>;
export type Receipt = z.infer<typeof money.receipt>;
export type LedgerEntry = z.infer<typeof money.ledgerEntry>;
export type PriceReview = z.infer<typeof priced.priceReview>;
export type Provider = z.infer<typeof provided.provider>;
export type ProviderTest = z.infer<typeof provided.providerTest>;
export type OwnModel = z.infer<typeof provided.ownModel>;
export type ProviderTemplate = z.infer<typeof provided.providerTemplate>;
export type Reconciliation = z.infer<typeof reconciled.reconciliation>;
export type Repair = z.infer<typeof money.repair>;
export type UsageEvent = z.infer<typeof used.listedUsageEvent>;
export type UsageSeries = z.infer<typeof used.usageSeries>;
export type Key = z.infer<typeof admin.usedKey>;
export type KeyUse = z.infer<typeof admin.keyUse>;
export type Refusal = z.infer<typeof refused.refusal>;
export type RefusalSeries = z.infer<typeof refused.refusalSeries>;
export type NewKey = z.infer<typeof admin.newKey>;
export type AuditRecord = z.infer<typeof admin.auditRecord>;
export type WebhookSecret = z.infer<typeof admin.webhookSecret>;
export type NewWebhookSecret = z.infer<typeof admin.newWebhookSecret>;
export type SharedBudget = z.infer<typeof budgets.budget>;
export type Envelope = z.infer<typeof envelopes.adminEnvelope>;
export type EnvelopeWithCosts = z.infer<typeof envelopes.adminEnvelopeWithCosts>;
export type SpendAlert = z.infer<typeof admin.alert>;
export type MessageBudget = z.infer<typeof admin.messageBudget>;
export type WebhookDelivery = z.infer<typeof admin.webhookDelivery>;
export type WebhookDeliveryWithBody = z.infer<typeof admin.webhookDeliveryWithBody>;
export type Model = z.infer<typeof model>;

/** One page of a listing. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}
