import { type AdminOperation, type AdminRoute, adminRoutes } from "@uag/contract/routes";
import { type Access, access } from "./access.ts";
import { accountLedger, createAccount, getAccount, listAccounts, topUp, updateAccount } from "./accounts.ts";
import type { AdminHandler } from "./admin.ts";
import { createAlert, deleteAlert, listAlerts, testAlert, updateAlert } from "./alerts.ts";
import { createBudget, deleteBudget, getBudget, listBudgets, listEndUsers, updateBudget } from "./budgets.ts";
import { getCatalog } from "./catalog.ts";
import { closeEnvelope, getEnvelope, listEnvelopes } from "./envelopes.ts";
import { exportUsage } from "./export.ts";
import { showFleet } from "./fleet.ts";
import { showForecast } from "./forecast.ts";
import { listHolds } from "./holds.ts";
import { getInvoice, listInvoices } from "./invoices.ts";
import { showKeyUse } from "./key-use-now.ts";
import { createKey, getKey, listKeys, regenerateKey, revokeKey, updateKey } from "./keys.ts";
import { readLedger, repairLedger } from "./ledger.ts";
import { listMessageBudgets } from "./message-budgets.ts";
import { createModel, deleteModel, getModel, listModels, updateModel } from "./models.ts";
import { listOwnModels } from "./own-models.ts";
import { acceptPrice, putPriceTable, reviewPrices } from "./prices.ts";
import {
  createCredential,
  createProvider,
  deleteCredential,
  deleteProvider,
  getProvider,
  listProviders,
  listTemplates,
  updateCredential,
  updateProvider,
} from "./providers.ts";
import { showReceipt } from "./receipt.ts";
import { listReconciliations } from "./reconciliations.ts";
import { listRefusals, showRefusalSeries } from "./refusals.ts";
import { showSeries } from "./series.ts";
import { testProvider } from "./test-provider.ts";
import { createToken, listAuditLog, listTokens, revokeToken } from "./tokens.ts";
import { listEvents, listUsage } from "./usage.ts";
import { createSecret, endSecret, getDelivery, listDeliveries, listSecrets, replayDelivery } from "./webhooks.ts";

const handlers: Readonly<Record<AdminOperation, AdminHandler>> = {
  "admin.accounts.create": createAccount,
  "admin.accounts.list": listAccounts,
  "admin.accounts.get": getAccount,
  "admin.accounts.update": updateAccount,
  "admin.accounts.top_up": topUp,
  "admin.accounts.ledger": accountLedger,
  "admin.accounts.holds": listHolds,
  "admin.accounts.forecast": showForecast,
  "admin.accounts.message_budgets": listMessageBudgets,
  "admin.accounts.invoices": listInvoices,
  "admin.accounts.invoice": getInvoice,
  "admin.keys.create": createKey,
  "admin.keys.list": listKeys,
  "admin.keys.get": getKey,
  "admin.keys.use": showKeyUse,
  "admin.keys.update": updateKey,
  "admin.keys.revoke": revokeKey,
  "admin.keys.regenerate": regenerateKey,
  "admin.budgets.create": createBudget,
  "admin.budgets.list": listBudgets,
  "admin.budgets.get": getBudget,
  "admin.budgets.end_users": listEndUsers,
  "admin.budgets.update": updateBudget,
  "admin.budgets.delete": deleteBudget,
  "admin.envelopes.list": listEnvelopes,
  "admin.envelopes.get": getEnvelope,
  "admin.envelopes.close": closeEnvelope,
  "admin.usage.list": listUsage,
  "admin.usage.events": listEvents,
  "admin.usage.series": showSeries,
  "admin.usage.receipt": showReceipt,
  "admin.usage.export": exportUsage,
  "admin.refusals.list": listRefusals,
  "admin.refusals.series": showRefusalSeries,
  "admin.ledger.read": readLedger,
  "admin.ledger.repair": repairLedger,
  "admin.models.list": listModels,
  "admin.models.create": createModel,
  "admin.models.get": getModel,
  "admin.models.update": updateModel,
  "admin.models.delete": deleteModel,
  "admin.fleet.get": showFleet,
  "admin.reconciliations.list": listReconciliations,
  "admin.prices.review": reviewPrices,
  "admin.prices.accept": acceptPrice,
  "admin.prices.table": putPriceTable,
  "admin.providers.list": listProviders,
  "admin.providers.create": createProvider,
  "admin.providers.get": getProvider,
  "admin.providers.update": updateProvider,
  "admin.providers.delete": deleteProvider,
  "admin.providers.test": testProvider,
  "admin.providers.models": listOwnModels,
  "admin.providers.credentials.create": createCredential,
  "admin.providers.credentials.update": updateCredential,
  "admin.providers.credentials.delete": deleteCredential,
  "admin.catalog.get": getCatalog,
  "admin.provider_templates.list": listTemplates,
  "admin.audit_log.list": listAuditLog,
  "admin.tokens.create": createToken,
  "admin.tokens.list": listTokens,
  "admin.tokens.revoke": revokeToken,
  "admin.alerts.create": createAlert,
  "admin.alerts.list": listAlerts,
  "admin.alerts.update": updateAlert,
  "admin.alerts.delete": deleteAlert,
  "admin.alerts.test": testAlert,
  "admin.webhooks.secrets.create": createSecret,
  "admin.webhooks.secrets.list": listSecrets,
  "admin.webhooks.secrets.end": endSecret,
  "admin.webhooks.deliveries.list": listDeliveries,
  "admin.webhooks.deliveries.get": getDelivery,
  "admin.webhooks.deliveries.replay": replayDelivery,
};

/** A route of the admin API with its handler and its roles. */
export type AdminRow = AdminRoute & { readonly handler: AdminHandler; readonly access: Access };

/** Every path that needs an admin token. */
export const adminRows: readonly AdminRow[] = adminRoutes.map((route) => ({
  ...route,
  handler: handlers[route.operation],
  access: access[route.operation],
}));
