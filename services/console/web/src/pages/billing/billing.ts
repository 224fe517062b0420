import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call } from "../../api/http.ts";
import { pagedQuery } from "../../api/paged.ts";
import type { Account, Forecast, Hold, Invoice, LedgerEntry, MessageBudget, Page } from "../../api/types.ts";
import { nanoUsdOf } from "../../format/money.ts";

export const accountPath = (id: string): string => `/admin/v1/accounts/${encodeURIComponent(id)}`;

const ofAccount = <T>(id: string, name: string, part = "") =>
  queryOptions({
    queryKey: ["billing", id, name],
    queryFn: ({ signal }) => call<T>(`${accountPath(id)}${part}`, { signal }),
  });

export const accountQuery = (id: string) => ofAccount<Account>(id, "account");
export const forecastQuery = (id: string) => ofAccount<Forecast>(id, "forecast", "/forecast");
export const holdsQuery = (id: string) => ofAccount<Page<Hold>>(id, "holds", "/holds");
export const invoicesQuery = (id: string) => ofAccount<Page<Invoice>>(id, "invoices", "/invoices");
export const messageBudgetsQuery = (id: string) =>
  ofAccount<Page<MessageBudget>>(id, "message budgets", "/message-budgets");
export const invoiceQuery = (id: string, month: string) =>
  ofAccount<Invoice>(id, `invoice ${month}`, `/invoices/${encodeURIComponent(month)}`);

export const ledgerQuery = (id: string) =>
  infiniteQueryOptions(pagedQuery<LedgerEntry>("billing", `/accounts/${encodeURIComponent(id)}/ledger`, {}, 200));

/** What a row changes of all the account's money, held or not; nano-USD. */
export function changeOf({ available_usd, held_usd }: LedgerEntry): bigint {
  return nanoUsdOf(available_usd) + nanoUsdOf(held_usd);
}

export interface LedgerRow {
  readonly entry: LedgerEntry;
  readonly change: bigint;
  /** All the account's money after this row, nano-USD. */
  readonly balance: bigint;
}

/** The rows, the newest first, each with the balance after it: told back from what there is now. */
export function withBalance(entries: readonly LedgerEntry[], now: Account): LedgerRow[] {
  let balance = nanoUsdOf(now.available_usd) + nanoUsdOf(now.held_usd);
  return entries.map((entry) => {
    const change = changeOf(entry);
    const row = { entry, change, balance };
    balance -= change;
    return row;
  });
}
