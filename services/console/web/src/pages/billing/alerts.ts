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

/** How much of its amount is spent this month, percent; 0 while there is no amount. */
export function spentPercent({ spent_usd, monthly_usd }: SpendAlert): number {
  return monthly_usd === null ? 0 : Number((nanoUsdOf(spent_usd) * 1_000n) / nanoUsdOf(monthly_usd)) / 10;
}

/** Whether less is left than a balance's alert allows. */
export function isLow({ balance_usd, below_usd }: SpendAlert): boolean {
  return balance_usd !== null && below_usd !== null && nanoUsdOf(balance_usd) < nanoUsdOf(below_usd);
}

/** What an alert is about, as people choose it. */
export const alertKinds = ["spend", "budget", "shared", "balance"] as const;
export type AlertKind = (typeof alertKinds)[number];

export const kindOf = ({ kind, budget_id }: SpendAlert): AlertKind => (budget_id === null ? kind : "shared");

export interface AlertValues {
  kind: AlertKind;
  /** Empty for all the account's keys together. */
  key_id: string;
  /** Only for `shared`. */
  budget_id: string;
  name: string;
  monthly_usd: string | number;
  below_usd: string | number;
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
    budget_id: alert?.budget_id ?? "",
    kind: alert === undefined ? "spend" : kindOf(alert),
    monthly_usd: Number(alert?.monthly_usd ?? 0) || "",
    below_usd: Number(alert?.below_usd ?? 0) || "",
    thresholds: alert?.thresholds.map(String) ?? usualThresholds,
    webhook_url: alert?.webhook_url ?? "",
    emails: alert?.emails ?? [],
  };
}

/** The figures that a kind of alert compares with. */
function measuresOf({ kind, monthly_usd, below_usd, thresholds }: AlertValues) {
  if (kind === "balance") return { below_usd: Number(below_usd).toFixed(9) };
  const percent = { thresholds: thresholds.map(Number) };
  return kind !== "spend" ? percent : { ...percent, monthly_usd: Number(monthly_usd).toFixed(9) };
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
    ...measuresOf(values),
    emails,
    ...(webhook !== (alert?.webhook_url ?? null) && { webhook_url: webhook }),
  };
  if (alert !== undefined) return call<SpendAlert>(alertPath(alert.id), { method: "PATCH", body });
  return call<SpendAlert>(path, { method: "POST", body: { account_id: account, ...subjectOf(values), ...body } });
}

/** Whose spending or which budget it is about. */
function subjectOf({ kind, key_id, budget_id }: AlertValues) {
  if (kind === "shared") return { kind: "budget", budget_id };
  return { kind, key_id: (kind !== "balance" && key_id) || null };
}
