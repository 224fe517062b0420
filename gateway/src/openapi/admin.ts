import {
  auditLogQuery,
  createAccountRequest,
  createKeyRequest,
  createTokenRequest,
  keyListQuery,
  pageQuery,
  regenerateKeyRequest,
  topUpRequest,
  updateAccountRequest,
  updateKeyRequest,
} from "@uag/contract/requests/admin";
import { ledgerQuery, ledgerRepairRequest } from "@uag/contract/requests/admin-ledger";
import { reconciliationQuery } from "@uag/contract/requests/admin-reconciliation";
import { refusalListQuery, refusalSeriesQuery } from "@uag/contract/requests/admin-refusals";
import { eventListQuery, usageExportQuery, usageListQuery, usageSeriesQuery } from "@uag/contract/requests/admin-usage";
import { auditRecord, key, keyUse, listOf, newKey, newToken, token, usedKey } from "@uag/contract/responses/admin";
import { catalogModel, fleet } from "@uag/contract/responses/admin-fleet";
import {
  account,
  forecast,
  hold,
  invoice,
  ledgerEntry,
  receipt,
  repair,
  topUp,
} from "@uag/contract/responses/admin-money";
import { reconciliation } from "@uag/contract/responses/admin-reconciliation";
import { refusal, refusalSeries } from "@uag/contract/responses/admin-refusals";
import { listedUsageEvent, usageBucket, usageSeries } from "@uag/contract/responses/admin-usage";
import { budgets } from "./admin-budgets.ts";
import { envelopes } from "./admin-envelopes.ts";
import { messages } from "./admin-messages.ts";
import { admin } from "./admin-operation.ts";
import { prices } from "./admin-prices.ts";
import { providers } from "./admin-providers.ts";
import type { Operation } from "./operation.ts";

const money: Readonly<Record<string, Operation>> = {
  "admin.accounts.create": admin("Accounts", "createAccount", "Creates an account", ["AccountCreated", account], {
    request: createAccountRequest,
    status: 201,
  }),
  "admin.accounts.list": admin("Accounts", "listAccounts", "Lists the accounts", ["AccountList", listOf(account)], {
    query: pageQuery,
  }),
  "admin.accounts.get": admin("Accounts", "getAccount", "Shows an account and its balance", ["Account", account]),
  "admin.accounts.update": admin("Accounts", "updateAccount", "Changes an account", ["AccountChanged", account], {
    request: updateAccountRequest,
  }),
  "admin.accounts.top_up": {
    ...admin("Accounts", "topUpAccount", "Tops up or corrects a balance, once per reference", ["TopUp", topUp], {
      request: topUpRequest,
      status: 201,
    }),
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
    "Lists an account's holds, oldest first",
    ["AccountHolds", listOf(hold)],
    { query: pageQuery },
  ),
  "admin.accounts.forecast": admin(
    "Accounts",
    "forecastAccount",
    "Shows an account's spending in seven days and how long its balance lasts at that rate",
    ["AccountForecast", forecast],
  ),
  "admin.accounts.invoices": admin(
    "Accounts",
    "listAccountInvoices",
    "Lists an account's monthly invoices, newest first",
    ["AccountInvoices", listOf(invoice)],
  ),
  "admin.accounts.invoice": admin("Accounts", "getAccountInvoice", "Shows an account's invoice for a month", [
    "AccountInvoice",
    invoice,
  ]),
  "admin.ledger.read": admin(
    "Ledger",
    "listLedger",
    "Lists ledger rows of an account or a request",
    ["Ledger", listOf(ledgerEntry)],
    {
      query: ledgerQuery,
    },
  ),
  "admin.ledger.repair": admin(
    "Ledger",
    "repairLedger",
    "Corrects the charges of unpriced requests",
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
    "Shows a request's receipt: prices, provider calls and ledger rows",
    ["UsageReceipt", receipt],
  ),
  "admin.usage.events": admin(
    "Usage",
    "listUsageEvents",
    "Lists requests, newest first",
    ["UsageEvents", listOf(listedUsageEvent)],
    {
      query: eventListQuery,
    },
  ),
  "admin.refusals.list": admin(
    "Usage",
    "listRefusals",
    "Lists the last hundred refused requests, newest first",
    ["RefusalList", listOf(refusal)],
    { query: refusalListQuery },
  ),
  "admin.refusals.series": admin(
    "Usage",
    "getRefusalSeries",
    "Shows refused requests over time, by account, key or reason",
    ["RefusalSeries", refusalSeries],
    { query: refusalSeriesQuery },
  ),
  "admin.usage.export": {
    id: "exportUsage",
    tag: "Usage",
    summary: "Exports requests, each row with a cursor to continue after it",
    ok: { rows: true },
    query: usageExportQuery.shape,
    admin: true,
  },
};

const access: Readonly<Record<string, Operation>> = {
  "admin.keys.create": admin("Keys", "createKey", "Creates a key", ["KeyCreated", newKey], {
    request: createKeyRequest,
    status: 201,
  }),
  "admin.keys.list": admin("Keys", "listKeys", "Lists keys", ["KeyList", listOf(usedKey)], { query: keyListQuery }),
  "admin.keys.get": admin("Keys", "getKey", "Shows a key", ["Key", usedKey]),
  "admin.keys.use": admin("Keys", "getKeyUse", "Shows how much of its limits and its budget a key uses now", [
    "KeyUse",
    keyUse,
  ]),
  "admin.keys.update": admin("Keys", "updateKey", "Changes a key", ["KeyChanged", key], { request: updateKeyRequest }),
  "admin.keys.revoke": admin("Keys", "revokeKey", "Revokes a key", ["KeyRevoked", key]),
  "admin.keys.regenerate": {
    ...admin("Keys", "regenerateKey", "Regenerates a key's secret", ["KeyRegenerated", newKey], {
      request: regenerateKeyRequest,
    }),
    bodyIsOptional: true,
  },
  "admin.models.list": admin(
    "Catalogue",
    "listCatalogModels",
    "Lists the catalogue with each model's providers and their health in the last hour",
    ["ModelList", listOf(catalogModel)],
    { query: pageQuery },
  ),
  "admin.fleet.get": admin("Fleet", "getFleet", "Shows the processes, their queues and the auditor's result", [
    "Fleet",
    fleet,
  ]),
  "admin.reconciliations.list": admin(
    "Fleet",
    "listReconciliations",
    "Compares metered usage with providers' reports",
    ["Reconciliations", listOf(reconciliation)],
    { query: reconciliationQuery },
  ),
  "admin.audit_log.list": admin("Audit", "listAuditLog", "Lists the audit log", ["AuditLog", listOf(auditRecord)], {
    query: auditLogQuery,
  }),
  "admin.tokens.create": admin(
    "Admin tokens",
    "createAdminToken",
    "Creates an admin token",
    ["TokenCreated", newToken],
    {
      request: createTokenRequest,
      status: 201,
    },
  ),
  "admin.tokens.list": admin("Admin tokens", "listAdminTokens", "Lists admin tokens", ["TokenList", listOf(token)], {
    query: pageQuery,
  }),
  "admin.tokens.revoke": admin("Admin tokens", "revokeAdminToken", "Revokes an admin token", ["TokenRevoked", token]),
};

/** Documentation of the admin operations beyond their table of routes, by operation name. */
export const adminOperations: Readonly<Record<string, Operation>> = {
  ...money,
  ...access,
  ...budgets,
  ...envelopes,
  ...messages,
  ...prices,
  ...providers,
};
