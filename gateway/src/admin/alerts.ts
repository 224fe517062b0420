import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { alertListQuery, createAlertRequest, updateAlertRequest } from "@uag/contract/requests/admin-alerts.ts";
import type { alert as alertResponse } from "@uag/contract/responses/admin.ts";
import type { Shown } from "@uag/contract/responses/shown.ts";
import { usdText } from "@uag/kit/usd.ts";
import type { Alert, AlertTerms, Notice } from "@uag/proto/metering/v1/alerts.ts";
import type { z } from "zod";
import { type AdminHandler, recordAction } from "./admin.ts";
import { checkedBody, checkedQuery } from "./check.ts";
import type { AdminClients } from "./clients.ts";
import { listOf, timeText } from "./json.ts";
import { webhooksOf } from "./webhooks-client.ts";

const noTerms: AlertTerms = { name: "", monthlyNanoUsd: 0n, thresholds: [], webhookUrl: "", emails: [] };

/** A URL's query may contain a secret. */
const withoutQuery = (url: string): string => url.split(/[?#]/, 1)[0] ?? "";

const showNotice = ({ month, threshold, monthlyNanoUsd, spentNanoUsd, atMs }: Notice) => ({
  month,
  threshold,
  monthly_usd: usdText(monthlyNanoUsd),
  spent_usd: usdText(spentNanoUsd),
  at: timeText(atMs),
});

function showAlert(alert: Alert): Shown<typeof alertResponse> {
  const { name, monthlyNanoUsd, thresholds, webhookUrl, emails } = alert.terms ?? noTerms;
  const { createdBy } = alert;
  return {
    id: alert.id,
    object: "spend_alert",
    account_id: alert.accountId,
    key_id: alert.keyId || null,
    name,
    monthly_usd: usdText(monthlyNanoUsd),
    monthly_nano_usd: monthlyNanoUsd,
    thresholds: thresholds.map(BigInt),
    webhook_url: withoutQuery(webhookUrl) || null,
    emails,
    created_at: timeText(alert.createdAtMs),
    created_by: createdBy === undefined ? null : { id: createdBy.id, name: createdBy.name },
    month: alert.month,
    spent_usd: usdText(alert.spentNanoUsd),
    spent_nano_usd: alert.spentNanoUsd,
    notices: alert.notices.map((notice) => ({ ...showNotice(notice), threshold: BigInt(notice.threshold) })),
  };
}

/** The alert's terms, changed by the fields that the request contains. */
function changed(terms: AlertTerms, fields: z.output<typeof updateAlertRequest>): AlertTerms {
  const { name, monthly_usd, thresholds, webhook_url, emails } = fields;
  return {
    name: name ?? terms.name,
    monthlyNanoUsd: monthly_usd ?? terms.monthlyNanoUsd,
    thresholds: thresholds ?? terms.thresholds,
    webhookUrl: webhook_url === undefined ? terms.webhookUrl : (webhook_url ?? ""),
    emails: emails ?? terms.emails,
  };
}

/** @throws {GatewayError} `invalid_request` for an alert without a receiver */
async function checkReceivers(clients: AdminClients, { webhookUrl, emails }: AlertTerms): Promise<void> {
  const webhooks = webhooksOf(clients);
  if (webhookUrl === "" && emails.length === 0) {
    throw new GatewayError("invalid_request", "webhook_url: give one, or e-mail addresses.", { param: "webhook_url" });
  }
  const webhook = webhookUrl === "" ? [] : [{ url: webhookUrl, param: "webhook_url" }];
  const mails = emails.map((email) => ({ url: `mailto:${email}`, param: "emails" }));
  await webhooks.checkTargets({ targets: [...webhook, ...mails] });
}

/** The terms as they may appear in the audit log. */
const recorded = ({ name, monthlyNanoUsd, thresholds, webhookUrl, emails }: AlertTerms) => ({
  name,
  monthly_usd: usdText(monthlyNanoUsd),
  thresholds,
  webhook_url: withoutQuery(webhookUrl),
  emails,
});

export const createAlert: AdminHandler = async (call) => {
  const { clients, actor, body } = call;
  const { account_id: accountId, key_id, ...fields } = checkedBody(createAlertRequest, body);
  const keyId = key_id ?? "";
  const terms = changed(noTerms, fields);
  const owner = keyId === "" ? await clients.accounts.getAccount({ id: accountId }) : undefined;
  const key = keyId === "" ? undefined : await clients.keys.getKey({ id: keyId });
  if ((owner?.id ?? key?.accountId) !== accountId) {
    throw new GatewayError("not_found", "The account has no such key.", { param: "key_id" });
  }
  await checkReceivers(clients, terms);
  const requested = { key_id, ...recorded(terms) };
  await recordAction(call, { action: "alert.create", targetId: keyId || accountId, accountId, requested });
  return { status: 201, body: showAlert(await clients.alerts.createAlert({ accountId, keyId, terms, actor })) };
};

/** A handful at most, so all on one page. */
export const listAlerts: AdminHandler = async ({ clients, url }) => {
  const { account: accountId } = checkedQuery(alertListQuery, url);
  const { alerts } = await clients.alerts.listAlerts({ accountId });
  return { body: listOf(alerts.map(showAlert), "") };
};

export const updateAlert: AdminHandler = async (call) => {
  const { clients, id: alertId, body } = call;
  const fields = checkedBody(updateAlertRequest, body);
  const { accountId, terms: earlier = noTerms } = await clients.alerts.getAlert({ id: alertId });
  const terms = changed(earlier, fields);
  await checkReceivers(clients, terms);
  await recordAction(call, { action: "alert.update", targetId: alertId, accountId, requested: recorded(terms) });
  return { body: showAlert(await clients.alerts.updateAlert({ id: alertId, terms })) };
};

export const deleteAlert: AdminHandler = async (call) => {
  const { clients, id: alertId } = call;
  const { accountId } = await clients.alerts.getAlert({ id: alertId });
  await recordAction(call, { action: "alert.delete", targetId: alertId, accountId, requested: {} });
  return { body: showAlert(await clients.alerts.deleteAlert({ id: alertId })) };
};

/** Sends the alert's message, marked as a test. */
export const testAlert: AdminHandler = async (call) => {
  const { clients, id: alertId } = call;
  const { accountId } = await clients.alerts.getAlert({ id: alertId });
  await recordAction(call, { action: "alert.test", targetId: alertId, accountId, requested: {} });
  return { status: 202, body: showAlert(await clients.alerts.testAlert({ id: alertId })) };
};
