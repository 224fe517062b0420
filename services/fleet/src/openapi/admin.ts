import {
  auditLogQuery,
  createAccountRequest,
  createKeyRequest,
  createSecretRequest,
  createTokenRequest,
  deliveryListQuery,
  keyListQuery,
  pageQuery,
  regenerateKeyRequest,
  secretListQuery,
  topUpRequest,
  updateAccountRequest,
  updateKeyRequest,
} from "@uag/contract/requests/admin.ts";
import { alertListQuery, createAlertRequest, updateAlertRequest } from "@uag/contract/requests/admin-alerts.ts";
import { ledgerQuery, ledgerRepairRequest } from "@uag/contract/requests/admin-ledger.ts";
import { reconciliationQuery } from "@uag/contract/requests/admin-reconciliation.ts";
import {
  eventListQuery,
  usageExportQuery,
  usageListQuery,
  usageSeriesQuery,
} from "@uag/contract/requests/admin-usage.ts";
import {
  alert,
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
import { reconciliation } from "@uag/contract/responses/admin-reconciliation.ts";
import { listedUsageEvent, usageBucket, usageSeries } from "@uag/contract/responses/admin-usage.ts";
import type { z } from "zod";
import type { Named, Operation } from "./operation.ts";
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
    request: createAccountRequest,
    status: 201,
  }),
  "admin.accounts.list": admin("Accounts", "listAccounts", "Lists the accounts", ["AccountList", listOf(account)], {
    query: pageQuery,
  }),
  "admin.accounts.get": admin("Accounts", "getAccount", "Shows an account and its money", ["Account", account]),
  "admin.accounts.update": admin("Accounts", "updateAccount", "Changes an account", ["AccountChanged", account], {
    request: updateAccountRequest,
  }),
  "admin.accounts.top_up": {
    ...admin(
      "Accounts",
      "topUpAccount",
      "Adds money, or takes available money away; the same reference does so once",
      ["TopUp", topUp],
      {
        request: topUpRequest,
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
      query: pageQuery,
    },
  ),
  "admin.accounts.holds": admin(
    "Accounts",
    "listAccountHolds",
    "Lists what holds an account's money now, the oldest first",
    ["AccountHolds", listOf(hold)],
    { query: pageQuery },
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
      query: ledgerQuery,
    },
  ),
  "admin.ledger.repair": admin(
    "Ledger",
    "repairLedger",
    "Charges requests that had no price",
    ["LedgerRepair", listOf(repair)],
    {
      request: ledgerRepairRequest,
    },
  ),
  "admin.usage.list": admin("Usage", "listUsage", "Shows usage by hour or day", ["UsageList", listOf(usageBucket)], {
    query: usageListQuery,
  }),
  "admin.usage.series": admin(
    "Usage",
    "getUsageSeries",
    "Shows usage over time, by account, key, model, operation or provider",
    ["UsageSeries", usageSeries],
    { query: usageSeriesQuery },
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
      query: eventListQuery,
    },
  ),
  "admin.usage.export": {
    id: "exportUsage",
    tag: "Usage",
    summary: "Exports single requests, each row with the cursor that goes on behind it",
    ok: { rows: true },
    query: usageExportQuery.shape,
    admin: true,
  },
};

const access: Readonly<Record<string, Operation>> = {
  "admin.keys.create": admin("Keys", "createKey", "Makes a key", ["KeyCreated", newKey], {
    request: createKeyRequest,
    status: 201,
  }),
  "admin.keys.list": admin("Keys", "listKeys", "Lists keys", ["KeyList", listOf(usedKey)], { query: keyListQuery }),
  "admin.keys.get": admin("Keys", "getKey", "Shows a key", ["Key", usedKey]),
  "admin.keys.update": admin("Keys", "updateKey", "Changes a key", ["KeyChanged", key], { request: updateKeyRequest }),
  "admin.keys.revoke": admin("Keys", "revokeKey", "Revokes a key", ["KeyRevoked", key]),
  "admin.keys.regenerate": {
    ...admin("Keys", "regenerateKey", "Gives a key a new secret", ["KeyRegenerated", newKey], {
      request: regenerateKeyRequest,
    }),
    bodyIsOptional: true,
  },
  "admin.models.list": admin(
    "Catalogue",
    "listCatalogModels",
    "Lists the catalogue, with who serves each model and how they were in the last hour",
    ["ModelList", listOf(catalogModel)],
    { query: pageQuery },
  ),
  "admin.fleet.get": admin("Fleet", "getFleet", "Shows the processes, what waits in them, and what the auditor says", [
    "Fleet",
    fleet,
  ]),
  "admin.reconciliations.list": admin(
    "Fleet",
    "listReconciliations",
    "Compares our usage with what providers report of theirs",
    ["Reconciliations", listOf(reconciliation)],
    { query: reconciliationQuery },
  ),
  "admin.audit_log.list": admin(
    "Audit",
    "listAuditLog",
    "Lists what administrators have done",
    ["AuditLog", listOf(auditRecord)],
    {
      query: auditLogQuery,
    },
  ),
  "admin.tokens.create": admin("Admin tokens", "createAdminToken", "Makes an admin token", ["TokenCreated", newToken], {
    request: createTokenRequest,
    status: 201,
  }),
  "admin.tokens.list": admin("Admin tokens", "listAdminTokens", "Lists admin tokens", ["TokenList", listOf(token)], {
    query: pageQuery,
  }),
  "admin.tokens.revoke": admin("Admin tokens", "revokeAdminToken", "Revokes an admin token", ["TokenRevoked", token]),
  "admin.alerts.create": admin(
    "Alerts",
    "createAlert",
    "Has people told when an account or a key has spent a part of a month's amount",
    ["AlertCreated", alert],
    { request: createAlertRequest, status: 201 },
  ),
  "admin.alerts.list": admin("Alerts", "listAlerts", "Lists an account's spend alerts", ["AlertList", listOf(alert)], {
    query: alertListQuery,
  }),
  "admin.alerts.update": admin("Alerts", "updateAlert", "Changes a spend alert", ["AlertChanged", alert], {
    request: updateAlertRequest,
  }),
  "admin.alerts.delete": admin("Alerts", "deleteAlert", "Deletes a spend alert", ["AlertDeleted", alert]),
  "admin.alerts.test": admin("Alerts", "testAlert", "Sends a test to an alert's receivers", ["AlertTested", alert], {
    status: 202,
  }),
  "admin.webhooks.secrets.create": admin(
    "Webhooks",
    "createWebhookSecret",
    "Makes a webhook secret; earlier ones sign beside it for a while",
    ["WebhookSecretCreated", newWebhookSecret],
    { request: createSecretRequest, status: 201 },
  ),
  "admin.webhooks.secrets.list": admin(
    "Webhooks",
    "listWebhookSecrets",
    "Lists what signs an account's webhooks",
    ["WebhookSecretList", listOf(webhookSecret)],
    { query: secretListQuery },
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
      query: deliveryListQuery,
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
