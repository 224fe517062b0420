import {
  auditRecord,
  key,
  listOf,
  newKey,
  newToken,
  newWebhookSecret,
  token,
  usedKey,
  webhookDelivery,
  webhookDeliveryWithBody,
  webhookSecret,
} from "@uag/contract/responses/admin.ts";
import { catalogModel, fleet } from "@uag/contract/responses/admin-fleet.ts";
import {
  account,
  forecast,
  hold,
  invoice,
  ledgerEntry,
  receipt,
  repair,
  topUp,
} from "@uag/contract/responses/admin-money.ts";
import { listedUsageEvent, usageBucket, usageSeries } from "@uag/contract/responses/admin-usage.ts";
import * as accounts from "@uag/gateway/admin/accounts.ts";
import { query as exportQuery } from "@uag/gateway/admin/export.ts";
import * as keys from "@uag/gateway/admin/keys.ts";
import * as ledger from "@uag/gateway/admin/ledger.ts";
import * as models from "@uag/gateway/admin/models.ts";
import * as series from "@uag/gateway/admin/series.ts";
import * as tokens from "@uag/gateway/admin/tokens.ts";
import * as usage from "@uag/gateway/admin/usage.ts";
import * as webhooks from "@uag/gateway/admin/webhooks.ts";
import type { z } from "zod";
import type { Named, Operation } from "./operations.ts";
import type { Tag } from "./tags.ts";

interface Query {
  readonly shape: Readonly<Record<string, z.ZodType>>;
}

interface RequestBodies {
  readonly request?: z.ZodType;
  readonly query?: Query;
  readonly status?: Operation["status"];
}

/** Request and response schemas get names in the document, after the operation. */
function admin(
  tag: Tag,
  id: string,
  summary: string,
  [name, response]: [string, z.ZodType],
  { request, query, status }: RequestBodies = {},
): Operation {
  const named: Named = { [`Admin${name}`]: response };
  return {
    id,
    tag,
    summary,
    ok: { json: named },
    ...(request !== undefined && { request: { [`Admin${name}Request`]: request } }),
    ...(query !== undefined && { query: query.shape }),
    ...(status !== undefined && { status }),
    admin: true,
  };
}

const money: Readonly<Record<string, Operation>> = {
  "admin.accounts.create": admin("Accounts", "createAccount", "Makes an account", ["AccountCreated", account], {
    request: accounts.create,
    status: 201,
  }),
  "admin.accounts.list": admin("Accounts", "listAccounts", "Lists the accounts", ["AccountList", listOf(account)], {
    query: accounts.pageQuery,
  }),
  "admin.accounts.get": admin("Accounts", "getAccount", "Shows an account and its money", ["Account", account]),
  "admin.accounts.update": admin("Accounts", "updateAccount", "Changes an account", ["AccountChanged", account], {
    request: accounts.change,
  }),
  "admin.accounts.top_up": {
    ...admin(
      "Accounts",
      "topUpAccount",
      "Adds money, or takes available money away; the same reference does so once",
      ["TopUp", topUp],
      {
        request: accounts.topUpBody,
        status: 201,
      },
    ),
    spends: true,
  },
  "admin.accounts.ledger": admin(
    "Accounts",
    "listAccountLedger",
    "Lists an account's ledger, newest first",
    ["AccountLedger", listOf(ledgerEntry)],
    {
      query: accounts.pageQuery,
    },
  ),
  "admin.accounts.holds": admin(
    "Accounts",
    "listAccountHolds",
    "Lists what holds an account's money now, the oldest first",
    ["AccountHolds", listOf(hold)],
    { query: accounts.pageQuery },
  ),
  "admin.accounts.forecast": admin(
    "Accounts",
    "forecastAccount",
    "Tells what an account spent in seven days, and how long its money lasts at that pace",
    ["AccountForecast", forecast],
  ),
  "admin.accounts.invoices": admin(
    "Accounts",
    "listAccountInvoices",
    "Lists an account's months by its ledger, newest first",
    ["AccountInvoices", listOf(invoice)],
  ),
  "admin.accounts.invoice": admin("Accounts", "getAccountInvoice", "Shows one month of an account", [
    "AccountInvoice",
    invoice,
  ]),
  "admin.ledger.read": admin(
    "Ledger",
    "listLedger",
    "Lists ledger rows of an account or about a request",
    ["Ledger", listOf(ledgerEntry)],
    {
      query: ledger.query,
    },
  ),
  "admin.ledger.repair": admin(
    "Ledger",
    "repairLedger",
    "Charges requests that had no price",
    ["LedgerRepair", listOf(repair)],
    {
      request: ledger.repairBody,
    },
  ),
  "admin.usage.list": admin("Usage", "listUsage", "Shows usage by hour or day", ["UsageList", listOf(usageBucket)], {
    query: usage.bucketQuery,
  }),
  "admin.usage.series": admin(
    "Usage",
    "getUsageSeries",
    "Shows usage over time, by account, key, model, operation or provider",
    ["UsageSeries", usageSeries],
    { query: series.seriesQuery },
  ),
  "admin.usage.receipt": admin(
    "Usage",
    "getUsageReceipt",
    "Shows one request with its prices, its calls to providers and its ledger rows",
    ["UsageReceipt", receipt],
  ),
  "admin.usage.events": admin(
    "Usage",
    "listUsageEvents",
    "Lists single requests, newest first",
    ["UsageEvents", listOf(listedUsageEvent)],
    {
      query: usage.eventQuery,
    },
  ),
  "admin.usage.export": {
    id: "exportUsage",
    tag: "Usage",
    summary: "Exports single requests, each row with the cursor that goes on behind it",
    ok: { rows: true },
    query: exportQuery.shape,
    admin: true,
  },
};

const access: Readonly<Record<string, Operation>> = {
  "admin.keys.create": admin("Keys", "createKey", "Makes a key", ["KeyCreated", newKey], {
    request: keys.create,
    status: 201,
  }),
  "admin.keys.list": admin("Keys", "listKeys", "Lists keys", ["KeyList", listOf(usedKey)], { query: keys.listQuery }),
  "admin.keys.get": admin("Keys", "getKey", "Shows a key", ["Key", usedKey]),
  "admin.keys.update": admin("Keys", "updateKey", "Changes a key", ["KeyChanged", key], { request: keys.change }),
  "admin.keys.revoke": admin("Keys", "revokeKey", "Revokes a key", ["KeyRevoked", key]),
  "admin.keys.regenerate": {
    ...admin("Keys", "regenerateKey", "Gives a key a new secret", ["KeyRegenerated", newKey], {
      request: keys.regenerate,
    }),
    bodyIsOptional: true,
  },
  "admin.models.list": admin(
    "Catalogue",
    "listCatalogModels",
    "Lists the catalogue, with who serves each model and how they were in the last hour",
    ["ModelList", listOf(catalogModel)],
    { query: models.modelQuery },
  ),
  "admin.fleet.get": admin("Fleet", "getFleet", "Shows the processes, what waits in them, and what the auditor says", [
    "Fleet",
    fleet,
  ]),
  "admin.audit_log.list": admin(
    "Audit",
    "listAuditLog",
    "Lists what administrators have done",
    ["AuditLog", listOf(auditRecord)],
    {
      query: tokens.auditQuery,
    },
  ),
  "admin.tokens.create": admin("Admin tokens", "createAdminToken", "Makes an admin token", ["TokenCreated", newToken], {
    request: tokens.create,
    status: 201,
  }),
  "admin.tokens.list": admin("Admin tokens", "listAdminTokens", "Lists admin tokens", ["TokenList", listOf(token)], {
    query: tokens.tokenQuery,
  }),
  "admin.tokens.revoke": admin("Admin tokens", "revokeAdminToken", "Revokes an admin token", ["TokenRevoked", token]),
  "admin.webhooks.secrets.create": admin(
    "Webhooks",
    "createWebhookSecret",
    "Makes a webhook secret; earlier ones sign beside it for a while",
    ["WebhookSecretCreated", newWebhookSecret],
    { request: webhooks.rotate, status: 201 },
  ),
  "admin.webhooks.secrets.list": admin(
    "Webhooks",
    "listWebhookSecrets",
    "Lists what signs an account's webhooks",
    ["WebhookSecretList", listOf(webhookSecret)],
    { query: webhooks.secretQuery },
  ),
  "admin.webhooks.secrets.end": admin("Webhooks", "endWebhookSecret", "Ends a webhook secret", [
    "WebhookSecretEnded",
    webhookSecret,
  ]),
  "admin.webhooks.deliveries.list": admin(
    "Webhooks",
    "listWebhookDeliveries",
    "Lists webhook deliveries",
    ["WebhookDeliveryList", listOf(webhookDelivery)],
    {
      query: webhooks.deliveryQuery,
    },
  ),
  "admin.webhooks.deliveries.get": admin("Webhooks", "getWebhookDelivery", "Shows a webhook delivery", [
    "WebhookDelivery",
    webhookDeliveryWithBody,
  ]),
  "admin.webhooks.deliveries.replay": admin(
    "Webhooks",
    "replayWebhookDelivery",
    "Delivers again",
    ["WebhookReplay", webhookDelivery],
    { status: 202 },
  ),
};

/** Documentation of the admin operations beyond their table of routes, by operation name. */
export const adminOperations: Readonly<Record<string, Operation>> = { ...money, ...access };
