import type { Credential } from "./providers.ts";

/** How a credential shares the calls, and what it may spend, as entered; empty: the default. */
export interface ShareValues {
  readonly weight: number | string;
  readonly priority: number | string;
  readonly account: string;
  readonly dailyCap: number | string;
  readonly monthlyCap: number | string;
}

export const noShare: ShareValues = { weight: "", priority: "", account: "", dailyCap: "", monthlyCap: "" };

export const shareOf = (credential: Credential): ShareValues => ({
  weight: credential.weight,
  priority: credential.priority,
  account: credential.account ?? "",
  dailyCap: credential.daily_cap_usd ?? "",
  monthlyCap: credential.monthly_cap_usd ?? "",
});

const usual = { weight: 1, priority: 0 } as const;
const numberOr = <T>(entered: number | string, otherwise: T): number | T =>
  entered === "" ? otherwise : Number(entered);

/** The fields of a request; what is empty is as for a credential without settings. */
export const shareBody = ({ weight, priority, account, dailyCap, monthlyCap }: ShareValues) => ({
  weight: numberOr(weight, usual.weight),
  priority: numberOr(priority, usual.priority),
  account: account.trim(),
  daily_cap_usd: numberOr(dailyCap, null),
  monthly_cap_usd: numberOr(monthlyCap, null),
});

/** Whether a credential shares the calls otherwise than a new one. */
export const isShareUsual = ({ weight, priority, account }: Credential): boolean =>
  weight === usual.weight && priority === usual.priority && account === null;

/** The caps of a credential with what was spent of each, USD. */
export function capsOf(credential: Credential) {
  const caps = [
    { period: "daily", spent: credential.spent_today_usd, cap: credential.daily_cap_usd },
    { period: "monthly", spent: credential.spent_this_month_usd, cap: credential.monthly_cap_usd },
  ] as const;
  return caps.flatMap(({ period, spent, cap }) => (cap === null ? [] : [{ period, spent, cap }]));
}

/** Whether a credential has spent all that a cap permits. */
export const isCapReached = (credential: Credential): boolean =>
  capsOf(credential).some(({ spent, cap }) => Number(spent) >= cap);
