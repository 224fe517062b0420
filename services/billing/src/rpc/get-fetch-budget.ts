import type { FetchBudget, GetFetchBudgetRequest } from "@uag/proto/billing/v1/limits.ts";
import type { Billing } from "../billing.ts";

/** How much of its budget of fetched URLs an account has used; nothing if it is unknown. */
export async function getFetchBudget(
  { fetchBudget }: Billing,
  { accountId }: GetFetchBudgetRequest,
): Promise<FetchBudget> {
  return { perHour: fetchBudget.perHour, ...(await fetchBudget.read(accountId)) };
}
