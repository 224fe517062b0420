import { createHash } from "node:crypto";
import { usdText } from "@uag/kit/usd.ts";
import type { EnqueueRequest } from "@uag/proto/video/v1/webhooks.ts";
import type { AlertDocument } from "./alert.ts";

/** What there is to tell of an alert. */
export interface Tidings {
  readonly type: "spend.threshold_reached" | "spend.test";
  readonly month: string;
  /** Percent. */
  readonly threshold: number;
  readonly spentNanoUsd: bigint;
  readonly at: Date;
  /** Tells occasions apart: of one occasion each receiver is told once. */
  readonly occasion: string;
}

/** The same for the same receiver and occasion, whoever sends it and however often. */
const idOf = (alertId: string, occasion: string, url: string): string =>
  `msg_${createHash("sha256").update([alertId, occasion, url].join("\n")).digest("hex").slice(0, 32)}`;

/** Without zeros at the end beyond cents: the text has nine decimals. */
const plainUsd = (nano: bigint): string => usdText(nano).replace(/0{1,7}$/, "");

function webhookBody(alert: AlertDocument, { type, month, threshold, spentNanoUsd, at }: Tidings): string {
  const { _id, name, accountId, keyId, monthlyNanoUsd } = alert;
  const data = {
    alert_id: _id,
    name,
    account_id: accountId,
    key_id: keyId === "" ? null : keyId,
    month,
    threshold,
    monthly_usd: usdText(monthlyNanoUsd),
    spent_usd: usdText(spentNanoUsd),
  };
  return JSON.stringify({ type, timestamp: at.toISOString(), data });
}

function mailOf(alert: AlertDocument, { type, month, threshold, spentNanoUsd }: Tidings) {
  const { name, accountId, keyId, monthlyNanoUsd } = alert;
  const whose = keyId === "" ? `account ${accountId}` : `key ${keyId} of account ${accountId}`;
  const title = name === "" ? whose : name;
  const isTest = type === "spend.test";
  const reached = `${threshold}% of $${plainUsd(monthlyNanoUsd)} is spent in ${month}`;
  const lines = [
    ...(isTest ? ["This is a test of a spend alert: nothing has happened.", ""] : []),
    `Alert: ${title}`,
    `For: ${whose}`,
    `Month: ${month} (UTC)`,
    `Spent: $${plainUsd(spentNanoUsd)}`,
    `Threshold: ${threshold}% of $${plainUsd(monthlyNanoUsd)}`,
    "",
    "Requests go on being served. A key's own monthly budget, or the balance, is what ends them.",
    "",
  ];
  return { subject: isTest ? `Test: ${title}` : `${title}: ${reached}`, body: lines.join("\n") };
}

/** What is sent, to each receiver of an alert. */
export function messagesOf(alert: AlertDocument, tidings: Tidings): EnqueueRequest[] {
  const { _id: alertId, accountId, webhookUrl, emails } = alert;
  const urls = emails.map((email) => `mailto:${email}`);
  const to = (url: string) => ({
    id: idOf(alertId, tidings.occasion, url),
    accountId,
    alertId,
    type: tidings.type,
    url,
  });
  const webhooks = webhookUrl === "" ? [] : [{ ...to(webhookUrl), subject: "", body: webhookBody(alert, tidings) }];
  const mail = mailOf(alert, tidings);
  return [...webhooks, ...urls.map((url) => ({ ...to(url), ...mail }))];
}
