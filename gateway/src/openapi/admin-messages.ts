import { createSecretRequest, deliveryListQuery, secretListQuery } from "@uag/contract/requests/admin";
import { alertListQuery, createAlertRequest, updateAlertRequest } from "@uag/contract/requests/admin-alerts";
import {
  alert,
  listOf,
  messageBudget,
  newWebhookSecret,
  webhookDelivery,
  webhookDeliveryWithBody,
  webhookSecret,
} from "@uag/contract/responses/admin";
import { admin } from "./admin-operation.ts";
import type { Operation } from "./operation.ts";

/** Documentation of the admin operations on alerts, webhooks and budgets of messages. */
export const messages: Readonly<Record<string, Operation>> = {
  "admin.accounts.message_budgets": admin(
    "Accounts",
    "listMessageBudgets",
    "Shows how much of its message budgets an account has used",
    ["MessageBudgetList", listOf(messageBudget)],
  ),
  "admin.alerts.create": admin("Alerts", "createAlert", "Creates a spend alert", ["AlertCreated", alert], {
    request: createAlertRequest,
    status: 201,
  }),
  "admin.alerts.list": admin("Alerts", "listAlerts", "Lists an account's spend alerts", ["AlertList", listOf(alert)], {
    query: alertListQuery,
  }),
  "admin.alerts.update": admin("Alerts", "updateAlert", "Changes a spend alert", ["AlertChanged", alert], {
    request: updateAlertRequest,
  }),
  "admin.alerts.delete": admin("Alerts", "deleteAlert", "Deletes a spend alert", ["AlertDeleted", alert]),
  "admin.alerts.test": admin(
    "Alerts",
    "testAlert",
    "Sends a test notification to an alert's recipients",
    ["AlertTested", alert],
    { status: 202 },
  ),
  "admin.webhooks.secrets.create": admin(
    "Webhooks",
    "createWebhookSecret",
    "Creates a webhook secret; previous ones also sign during the overlap",
    ["WebhookSecretCreated", newWebhookSecret],
    { request: createSecretRequest, status: 201 },
  ),
  "admin.webhooks.secrets.list": admin(
    "Webhooks",
    "listWebhookSecrets",
    "Lists an account's webhook secrets",
    ["WebhookSecretList", listOf(webhookSecret)],
    { query: secretListQuery },
  ),
  "admin.webhooks.secrets.end": admin("Webhooks", "endWebhookSecret", "Revokes a previous webhook secret", [
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
    "Replays a delivery",
    ["WebhookReplay", webhookDelivery],
    { status: 202 },
  ),
};
