import type { AdminRoute, Method } from "../routes.ts";
import { type Access, type AdminOperation, access } from "./access.ts";
import { accountLedger, createAccount, getAccount, listAccounts, topUp, updateAccount } from "./accounts.ts";
import type { AdminHandler } from "./admin.ts";
import { exportUsage } from "./export.ts";
import { createKey, getKey, listKeys, regenerateKey, revokeKey, updateKey } from "./keys.ts";
import { readLedger, repairLedger } from "./ledger.ts";
import { createToken, listAuditLog, listTokens, revokeToken } from "./tokens.ts";
import { listEvents, listUsage } from "./usage.ts";
import { createSecret, endSecret, getDelivery, listDeliveries, listSecrets, replayDelivery } from "./webhooks.ts";

export type AdminRow = AdminRoute & { readonly handler: AdminHandler; readonly access: Access };

const row = (method: Method, path: string, operation: AdminOperation, handler: AdminHandler): AdminRow => ({
  ...{ method, path: `/admin/v1${path}`, operation: `admin.${operation}`, dialect: "nested", handler },
  access: access[operation],
  body: method === "POST" || method === "PATCH" ? "json" : "none",
});

/** Every path that needs an admin token. */
export const adminRoutes: readonly AdminRow[] = [
  row("POST", "/accounts", "accounts.create", createAccount),
  row("GET", "/accounts", "accounts.list", listAccounts),
  row("GET", "/accounts/:id", "accounts.get", getAccount),
  row("PATCH", "/accounts/:id", "accounts.update", updateAccount),
  row("POST", "/accounts/:id/top-ups", "accounts.top_up", topUp),
  row("GET", "/accounts/:id/ledger", "accounts.ledger", accountLedger),
  row("POST", "/keys", "keys.create", createKey),
  row("GET", "/keys", "keys.list", listKeys),
  row("GET", "/keys/:id", "keys.get", getKey),
  row("PATCH", "/keys/:id", "keys.update", updateKey),
  row("DELETE", "/keys/:id", "keys.revoke", revokeKey),
  row("POST", "/keys/:id/regenerate", "keys.regenerate", regenerateKey),
  row("GET", "/usage", "usage.list", listUsage),
  row("GET", "/usage/events", "usage.events", listEvents),
  row("GET", "/usage/export", "usage.export", exportUsage),
  row("GET", "/ledger", "ledger.read", readLedger),
  row("POST", "/ledger/repair", "ledger.repair", repairLedger),
  row("GET", "/audit-log", "audit_log.list", listAuditLog),
  row("POST", "/tokens", "tokens.create", createToken),
  row("GET", "/tokens", "tokens.list", listTokens),
  row("DELETE", "/tokens/:id", "tokens.revoke", revokeToken),
  row("POST", "/webhooks/secrets", "webhooks.secrets.create", createSecret),
  row("GET", "/webhooks/secrets", "webhooks.secrets.list", listSecrets),
  row("DELETE", "/webhooks/secrets/:id", "webhooks.secrets.end", endSecret),
  row("GET", "/webhooks/deliveries", "webhooks.deliveries.list", listDeliveries),
  row("GET", "/webhooks/deliveries/:id", "webhooks.deliveries.get", getDelivery),
  row("POST", "/webhooks/deliveries/:id/replay", "webhooks.deliveries.replay", replayDelivery),
];
