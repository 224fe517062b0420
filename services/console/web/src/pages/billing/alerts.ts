import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/http.ts";
import type { Page, SpendAlert } from "../../api/types.ts";
import { nanoUsdOf } from "../../format/money.ts";

const path = "/admin/v1/alerts";

export const alertPath = (id: string): string => `${path}/${encodeURIComponent(id)}`;

export const alertsQuery = (account: string) =>
  queryOptions({
    queryKey: ["billing", account, "alerts"],
    queryFn: ({ signal }) => call<Page<SpendAlert>>(path, { query: { account }, signal }),
  });

/** How much of its amount is spent this month, percent. */
export function spentPercent({ spent_usd, monthly_usd }: SpendAlert): number {
  return Number((nanoUsdOf(spent_usd) * 1_000n) / nanoUsdOf(monthly_usd)) / 10;
}

export interface AlertValues {
  /** Empty for all the account's keys together. */
  key_id: string;
  name: string;
  monthly_usd: string | number;
  /** Percent, as they are typed. */
  thresholds: string[];
  /** Empty for none. */
  webhook_url: string;
  emails: string[];
}

export const usualThresholds = ["50", "80", "100"];

export function alertValuesOf(alert?: SpendAlert): AlertValues {
  return {
    key_id: alert?.key_id ?? "",
    name: alert?.name ?? "",
    monthly_usd: alert === undefined ? "" : Number(alert.monthly_usd),
    thresholds: alert?.thresholds.map(String) ?? usualThresholds,
    webhook_url: alert?.webhook_url ?? "",
    emails: alert?.emails ?? [],
  };
}

/**
 * Makes an alert, or changes one. The webhook is sent only where it was changed, for it is shown
 * without its query.
 */
export function saveAlert(account: string, values: AlertValues, alert?: SpendAlert): Promise<SpendAlert> {
  const { name, emails } = values;
  const webhook = values.webhook_url.trim() || null;
  const body = {
    name,
    monthly_usd: Number(values.monthly_usd).toFixed(9),
    thresholds: values.thresholds.map(Number),
    emails,
    ...(webhook !== (alert?.webhook_url ?? null) && { webhook_url: webhook }),
  };
  if (alert !== undefined) return call<SpendAlert>(alertPath(alert.id), { method: "PATCH", body });
  const about = { account_id: account, key_id: values.key_id || null };
  return call<SpendAlert>(path, { method: "POST", body: { ...about, ...body } });
}
