import { GatewayError } from "@uag/contract/errors/gateway-error";
import { alertListQuery, createAlertRequest, updateAlertRequest } from "@uag/contract/requests/admin-alerts";
import type { alert as alertResponse } from "@uag/contract/responses/admin";
import { alertKinds } from "@uag/contract/responses/admin-fields";
import type { Shown } from "@uag/contract/responses/shown";
import type { Alert, AlertTerms, Notice } from "@uag/proto/metering/v1/alerts.ts";
import { usdText } from "@uag/runtime/usd";
import type { z } from "zod";
import { type AdminHandler, recordAction } from "./admin.ts";
import { checkedBody, checkedQuery } from "./check.ts";
import type { AdminClients } from "./clients.ts";
import { notificationsOf } from "./clients.ts";
import { listOf, timeText } from "./json.ts";

const noTerms: AlertTerms = { name: "", monthlyNanoUsd: 0n, thresholds: [], webhookUrl: "", emails: [] };

const usualThresholds = [50, 80, 100];

/** Fields that alerts of a kind do not have. */
const absentFields = {
  spend: ["below_usd"],
  budget: ["monthly_usd", "below_usd"],
  balance: ["monthly_usd", "thresholds"],
} as const;

/** A URL's query may contain a secret. */
const withoutQuery = (url: string): string => url.split(/[?#]/, 1)[0] ?? "";

function showNotice(notice: Notice) {
  const { month, threshold, monthlyNanoUsd, spentNanoUsd, balanceNanoUsd, atMs } = notice;
  const isLow = balanceNanoUsd !== undefined;
  return {
    month,
    threshold: isLow ? null : BigInt(threshold),
    monthly_usd: isLow ? null : usdText(monthlyNanoUsd),
    spent_usd: usdText(spentNanoUsd),
    below_usd: isLow ? usdText(monthlyNanoUsd) : null,
    balance_usd: isLow ? usdText(balanceNanoUsd) : null,
    at: timeText(atMs),
  };
}

const kindOf = ({ kind }: AlertTerms) => alertKinds.find((one) => one === kind) ?? "spend";

/** What is 100 %; undefined while nothing is. */
function fullOf({ terms = noTerms, budgetNanoUsd = 0n }: Alert): bigint | undefined {
  const full = kindOf(terms) === "budget" ? budgetNanoUsd : terms.monthlyNanoUsd;
  return full > 0n ? full : undefined;
}

const usdOrNull = (nano: bigint | undefined): string | null => (nano === undefined ? null : usdText(nano));

function showAlert(alert: Alert, unconfirmed: readonly string[] | null): Shown<typeof alertResponse> {
  const { terms = noTerms, createdBy } = alert;
  const { name, belowNanoUsd, thresholds, webhookUrl, emails } = terms;
  const full = fullOf(alert);
  return {
    id: alert.id,
    object: "spend_alert",
    account_id: alert.accountId,
    kind: kindOf(terms),
    key_id: alert.keyId || null,
    budget_id: alert.budgetId || null,
    name,
    monthly_usd: usdOrNull(full),
    monthly_nano_usd: full ?? null,
    below_usd: usdOrNull(belowNanoUsd),
    thresholds: thresholds.map(BigInt),
    webhook_url: withoutQuery(webhookUrl) || null,
    emails,
    unconfirmed_emails: unconfirmed === null ? null : emails.filter((email) => unconfirmed.includes(email)),
    created_at: timeText(alert.createdAtMs),
    created_by: createdBy === undefined ? null : { id: createdBy.id, name: createdBy.name },
    month: alert.month,
    spent_usd: usdText(alert.spentNanoUsd),
    spent_nano_usd: alert.spentNanoUsd,
    balance_usd: usdOrNull(alert.balanceNanoUsd),
    notices: alert.notices.map(showNotice),
  };
}

/** Shows alerts of one account and which of their addresses are unconfirmed. */
async function showAlerts({ notifications }: AdminClients, alerts: readonly Alert[]) {
  const addresses = [...new Set(alerts.flatMap(({ terms }) => terms?.emails ?? []))];
  const accountId = alerts[0]?.accountId ?? "";
  const request = { accountId, addresses };
  // Alerts are readable while notifications, which stores the confirmations, is unavailable.
  const unconfirmed =
    addresses.length === 0
      ? []
      : await notifications?.listUnconfirmed(request).then(
          (response) => response.addresses,
          () => null,
        );
  return alerts.map((alert) => showAlert(alert, unconfirmed ?? null));
}

const showOne = async (clients: AdminClients, alert: Alert) => (await showAlerts(clients, [alert]))[0] ?? {};

/** The alert's terms, changed by the fields that the request contains. */
function changed(terms: AlertTerms, fields: z.output<typeof updateAlertRequest>): AlertTerms {
  const { name, monthly_usd, below_usd, thresholds, webhook_url, emails } = fields;
  const belowNanoUsd = below_usd ?? terms.belowNanoUsd;
  return {
    kind: kindOf(terms),
    name: name ?? terms.name,
    monthlyNanoUsd: monthly_usd ?? terms.monthlyNanoUsd,
    ...(belowNanoUsd !== undefined && { belowNanoUsd }),
    thresholds: thresholds ?? terms.thresholds,
    webhookUrl: webhook_url === undefined ? terms.webhookUrl : (webhook_url ?? ""),
    emails: emails ?? terms.emails,
  };
}

/** @throws {GatewayError} `invalid_request` for an alert without a receiver */
async function checkReceivers(clients: AdminClients, { webhookUrl, emails }: AlertTerms): Promise<void> {
  const notifications = notificationsOf(clients);
  if (webhookUrl === "" && emails.length === 0) {
    throw new GatewayError("invalid_request", "An alert needs webhook_url or emails.", { param: "webhook_url" });
  }
  const webhook = webhookUrl === "" ? [] : [{ url: webhookUrl, param: "webhook_url" }];
  const mails = emails.map((email) => ({ url: `mailto:${email}`, param: "emails" }));
  await notifications.checkTargets({ targets: [...webhook, ...mails] });
}

/** The terms as they may appear in the audit log. */
const recorded = ({ kind, name, monthlyNanoUsd, belowNanoUsd, thresholds, webhookUrl, emails }: AlertTerms) => ({
  kind,
  name,
  ...(monthlyNanoUsd > 0n && { monthly_usd: usdText(monthlyNanoUsd) }),
  ...(belowNanoUsd !== undefined && { below_usd: usdText(belowNanoUsd) }),
  thresholds,
  webhook_url: withoutQuery(webhookUrl),
  emails,
});

/** @throws {GatewayError} `not_found` unless the account has the shared budget */
async function checkBudget(
  { budgets }: AdminClients,
  { accountId, budgetId }: { readonly accountId: string; readonly budgetId: string },
): Promise<void> {
  const found = await budgets.getBudget({ id: budgetId });
  if (found.accountId === accountId && found.deletedAtMs === 0n) return;
  throw new GatewayError("not_found", "The account has no budget with this id.", { param: "budget_id" });
}

export const createAlert: AdminHandler = async (call) => {
  const { clients, actor, body } = call;
  const { account_id: accountId, kind, key_id, budget_id, ...fields } = checkedBody(createAlertRequest, body);
  const [keyId, budgetId] = [key_id ?? "", budget_id ?? ""];
  const thresholds = kind === "balance" ? [] : usualThresholds;
  const terms = changed({ ...noTerms, kind, thresholds }, fields);
  const owner = keyId === "" ? await clients.accounts.getAccount({ id: accountId }) : undefined;
  const key = keyId === "" ? undefined : await clients.keys.getKey({ id: keyId });
  if ((owner?.id ?? key?.accountId) !== accountId) {
    throw new GatewayError("not_found", "The account has no key with this id.", { param: "key_id" });
  }
  if (budgetId !== "") await checkBudget(clients, { accountId, budgetId });
  else if (kind === "budget" && (key?.limits?.monthlyBudgetNanoUsd ?? 0n) === 0n) {
    throw new GatewayError("invalid_request", "The key has no monthly budget.", { param: "key_id" });
  }
  await checkReceivers(clients, terms);
  const requested = { key_id, ...(budget_id !== null && { budget_id }), ...recorded(terms) };
  const targetId = budgetId || keyId || accountId;
  await recordAction(call, { action: "alert.create", targetId, accountId, requested });
  const made = await clients.alerts.createAlert({ accountId, keyId, budgetId, terms, actor });
  return { status: 201, body: await showOne(clients, made) };
};

/** A handful at most, so all on one page. */
export const listAlerts: AdminHandler = async ({ clients, url }) => {
  const { account: accountId } = checkedQuery(alertListQuery, url);
  const { alerts } = await clients.alerts.listAlerts({ accountId });
  return { body: listOf(await showAlerts(clients, alerts), "") };
};

export const updateAlert: AdminHandler = async (call) => {
  const { clients, id: alertId, body } = call;
  const fields = checkedBody(updateAlertRequest, body);
  const { accountId, terms: earlier = noTerms } = await clients.alerts.getAlert({ id: alertId });
  const stranger = absentFields[kindOf(earlier)].find((name) => fields[name] !== undefined);
  if (stranger !== undefined) {
    const text = `An alert of kind ${kindOf(earlier)} cannot have ${stranger}.`;
    throw new GatewayError("invalid_request", text, { param: stranger });
  }
  const terms = changed(earlier, fields);
  await checkReceivers(clients, terms);
  await recordAction(call, { action: "alert.update", targetId: alertId, accountId, requested: recorded(terms) });
  return { body: await showOne(clients, await clients.alerts.updateAlert({ id: alertId, terms })) };
};

export const deleteAlert: AdminHandler = async (call) => {
  const { clients, id: alertId } = call;
  const { accountId } = await clients.alerts.getAlert({ id: alertId });
  await recordAction(call, { action: "alert.delete", targetId: alertId, accountId, requested: {} });
  return { body: await showOne(clients, await clients.alerts.deleteAlert({ id: alertId })) };
};

/** Sends the alert's message, marked as a test. */
export const testAlert: AdminHandler = async (call) => {
  const { clients, id: alertId } = call;
  const { accountId } = await clients.alerts.getAlert({ id: alertId });
  await recordAction(call, { action: "alert.test", targetId: alertId, accountId, requested: {} });
  return { status: 202, body: await showOne(clients, await clients.alerts.testAlert({ id: alertId })) };
};
