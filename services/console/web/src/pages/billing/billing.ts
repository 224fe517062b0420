import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/http.ts";
import type {
  Account,
  Forecast,
  Hold,
  Invoice,
  LedgerEntry,
  MessageBudget,
  Page,
  UsageSeries,
} from "../../api/types.ts";
import { nanoUsdOf } from "../../format/money.ts";
import { accountPath } from "../../shell/account.ts";

const ofAccount = <T>(id: string, name: string, part = "") =>
  queryOptions({
    queryKey: ["billing", id, name],
    queryFn: ({ signal }) => call<T>(`${accountPath(id)}${part}`, { signal }),
  });

export const forecastQuery = (id: string) => ofAccount<Forecast>(id, "forecast", "/forecast");
export const holdsQuery = (id: string) => ofAccount<Page<Hold>>(id, "holds", "/holds");
export const invoicesQuery = (id: string) => ofAccount<Page<Invoice>>(id, "invoices", "/invoices");
export const messageBudgetsQuery = (id: string) =>
  ofAccount<Page<MessageBudget>>(id, "message budgets", "/message-budgets");
export const invoiceQuery = (id: string, month: string) =>
  ofAccount<Invoice>(id, `invoice ${month}`, `/invoices/${encodeURIComponent(month)}`);

/** The start of a month and of the next one, UTC. @param month such as 2027-01 */
export function timesOf(month: string): { from: string; until: string } {
  const from = new Date(`${month}-01T00:00:00Z`);
  const until = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1));
  return { from: from.toISOString(), until: until.toISOString() };
}

const mostKeys = 50;

/** The usage of a month by key. */
export const keysOfMonthQuery = (id: string, month: string) =>
  queryOptions({
    queryKey: ["billing", id, "keys", month],
    queryFn: ({ signal }) =>
      call<UsageSeries>("/admin/v1/usage/series", {
        query: { account: id, ...timesOf(month), bucket: "day", group_by: "key", top: mostKeys },
        signal,
      }),
  });

/** What a row changes of all the account's money, held or not; nano-USD. */
function changeOf({ available_usd, held_usd }: LedgerEntry): bigint {
  return nanoUsdOf(available_usd) + nanoUsdOf(held_usd);
}

/** The amount that a row reserves or releases, nano-USD; never negative. */
export function reservedOf({ held_usd }: LedgerEntry): bigint {
  const nano = nanoUsdOf(held_usd);
  return nano < 0n ? -nano : nano;
}

export interface LedgerRow {
  readonly entry: LedgerEntry;
  readonly change: bigint;
  /** All the account's money after this row, nano-USD; undefined while newer rows are unknown. */
  readonly balance: bigint | undefined;
}

/**
 * The rows, the newest first, each with the balance after it: the current balance without the
 * changes of all newer rows, which must be among `entries`.
 */
export function withBalance(entries: readonly LedgerEntry[], now: Account): LedgerRow[] {
  let balance = nanoUsdOf(now.available_usd) + nanoUsdOf(now.held_usd);
  return entries.map((entry) => {
    const change = changeOf(entry);
    const row = { entry, change, balance };
    balance -= change;
    return row;
  });
}

/** The rows while newer ones are unknown, so that no balance can be computed. */
export function withoutBalance(entries: readonly LedgerEntry[]): LedgerRow[] {
  return entries.map((entry) => ({ entry, change: changeOf(entry), balance: undefined }));
}
