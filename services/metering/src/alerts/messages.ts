import { createHash } from "node:crypto";
import type { EnqueueRequest } from "@uag/proto/notifications/v1/notifications.ts";
import { usdText } from "@uag/runtime/usd";
import type { AlertDocument, Figures, SharedBudget } from "./alert.ts";

/** What an alert reports. */
export interface Notification {
  readonly type: "spend.threshold_reached" | "balance.low" | "spend.test";
  readonly month: string;
  /** Percent; 0 for a balance. */
  readonly threshold: number;
  readonly figures: Figures;
  readonly at: Date;
  /** Each receiver gets one message for each value. */
  readonly dedupeKey: string;
}

/** The same for the same receiver and key, however often any process sends it. */
const idOf = (alertId: string, dedupeKey: string, url: string): string =>
  `msg_${createHash("sha256").update([alertId, dedupeKey, url].join("\n")).digest("hex").slice(0, 32)}`;

/** Without zeros at the end beyond cents: the text has nine decimals. */
const plainUsd = (nano: bigint): string => usdText(nano).replace(/0{1,7}$/, "");

function webhookBody(alert: AlertDocument, { type, month, threshold, figures, at }: Notification): string {
  const { _id, kind = "spend", name, accountId, keyId, budgetId = null, belowNanoUsd = 0n } = alert;
  const keys = { account_id: accountId, key_id: keyId === "" ? null : keyId, budget_id: budgetId };
  const about = { alert_id: _id, kind, name, ...keys };
  const { fullNanoUsd, spentNanoUsd, balance } = figures;
  const found =
    balance === undefined
      ? { month, threshold, monthly_usd: usdText(fullNanoUsd), spent_usd: usdText(spentNanoUsd) }
      : { below_usd: usdText(belowNanoUsd), balance_usd: usdText(balance.leftNanoUsd) };
  return JSON.stringify({ type, timestamp: at.toISOString(), data: { ...about, ...found } });
}

interface Wording {
  readonly title: string;
  readonly lines: readonly string[];
}

/** The text of an e-mail about spending, or about a low balance. */
function wordingOf(alert: AlertDocument, { month, threshold, figures }: Notification): Wording {
  const { kind = "spend", belowNanoUsd = 0n } = alert;
  const { fullNanoUsd, spentNanoUsd, balance, budget } = figures;
  if (budget !== undefined) return budgetWording(budget, { month, threshold, figures });
  if (balance !== undefined) {
    const [left, below] = [plainUsd(balance.leftNanoUsd), plainUsd(belowNanoUsd)];
    const after =
      "Requests are refused when the balance is used up. This alert sends no further mail until after the next top-up.";
    return {
      title: `$${left} is left, less than $${below}`,
      lines: [`Balance: $${left}`, `Threshold: less than $${below}`, "", after],
    };
  }
  const full = `${kind === "budget" ? "the monthly budget of " : ""}$${plainUsd(fullNanoUsd)}`;
  const after =
    kind === "budget"
      ? "At 100% the key's requests are refused until the month (UTC) ends or the budget is raised."
      : "Requests are still served. Only a key's monthly budget or the balance stops them.";
  const figured = [`Month: ${month} (UTC)`, `Spent: $${plainUsd(spentNanoUsd)}`, `Threshold: ${threshold}% of ${full}`];
  return { title: `${threshold}% of ${full} is spent in ${month}`, lines: [...figured, "", after] };
}

/** When a shared budget's period began, or its month. */
function periodText({ period }: SharedBudget, name: string): string {
  if (period === "total") return "no period: the budget never resets";
  return period === "week" ? `the week from ${name} (UTC)` : `${name} (UTC)`;
}

/** What happens when a shared budget is spent. */
function budgetEnd({ hard, period }: SharedBudget): string {
  if (!hard) return "Requests are still served, because the budget is not hard.";
  const until = period === "total" ? "the budget is raised" : `the ${period} (UTC) ends or the budget is raised`;
  return `At 100% requests of its keys are refused until ${until}.`;
}

function budgetWording(
  budget: SharedBudget,
  { month, threshold, figures }: Pick<Notification, "month" | "threshold" | "figures">,
): Wording {
  const full = `$${plainUsd(figures.fullNanoUsd)} of budget ${budget.name}`;
  const spent = `Spent: $${plainUsd(figures.spentNanoUsd)}`;
  return {
    title: `${threshold}% of ${full} is spent`,
    lines: [
      `Period: ${periodText(budget, month)}`,
      spent,
      `Threshold: ${threshold}% of ${full}`,
      "",
      budgetEnd(budget),
    ],
  };
}

function mailOf(alert: AlertDocument, notification: Notification) {
  const { name } = alert;
  const whose = subjectOf(alert);
  const alertName = name === "" ? whose : name;
  const isTest = notification.type === "spend.test";
  const { title, lines } = wordingOf(alert, notification);
  const notice = isTest ? ["This is a test of a spend alert: no threshold was reached.", ""] : [];
  const body = [...notice, `Alert: ${alertName}`, `For: ${whose}`, ...lines, ""].join("\n");
  return { subject: isTest ? `Test: ${alertName}` : `${alertName}: ${title}`, body };
}

/** Whose money an alert is about. */
function subjectOf({ accountId, keyId, budgetId }: AlertDocument): string {
  if (budgetId !== undefined) return `budget ${budgetId} of account ${accountId}`;
  return keyId === "" ? `account ${accountId}` : `key ${keyId} of account ${accountId}`;
}

/** What is sent, to each receiver of an alert. */
export function messagesOf(alert: AlertDocument, notification: Notification): EnqueueRequest[] {
  const { _id: alertId, accountId, webhookUrl, emails } = alert;
  const urls = emails.map((email) => `mailto:${email}`);
  const to = (url: string) => ({
    id: idOf(alertId, notification.dedupeKey, url),
    accountId,
    alertId,
    type: notification.type,
    url,
  });
  const webhooks =
    webhookUrl === "" ? [] : [{ ...to(webhookUrl), subject: "", body: webhookBody(alert, notification) }];
  const mail = mailOf(alert, notification);
  return [...webhooks, ...urls.map((url) => ({ ...to(url), ...mail }))];
}
