import { queryOptions, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { call, type Query } from "../../api/http.ts";
import type { RefusalSeries, UsageSeries } from "../../api/types.ts";
import { nanoUsdOf } from "../../format/money.ts";
import { accountQuery, accountsQuery, useAccountId, useSeesAllAccounts } from "../../shell/account.ts";

const everyMs = 60_000;
/** How many keys and models are listed. */
const top = 5;

/** The start of the viewer's day, at a full hour: usage is counted by the hour. */
function startOfDay(): string {
  const start = new Date();
  start.setHours(0, 0, 0, 0);
  start.setUTCMinutes(0);
  return start.toISOString();
}

/** The start of the month (UTC), as on statements. */
function startOfMonth(): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())).toISOString();
}

const spans = {
  today: { from: startOfDay, bucket: "hour" },
  month: { from: startOfMonth, bucket: "day" },
} as const;
type Span = keyof typeof spans;

/** The usage of today or of this month, by key or model or as a whole. */
export const usageQuery = (account: string | undefined, span: Span, by: "none" | "key" | "model") =>
  queryOptions({
    queryKey: ["usage", "overview", account, span, by],
    queryFn: ({ signal }) => {
      const { from, bucket } = spans[span];
      const query: Query = { account, from: from(), bucket, group_by: by, top };
      return call<UsageSeries>("/admin/v1/usage/series", { query, signal });
    },
    refetchInterval: everyMs,
  });

/** Today's refused requests by reason. */
export const refusedTodayQuery = (account: string | undefined) =>
  queryOptions({
    queryKey: ["usage", "overview", account, "refused"],
    queryFn: ({ signal }) => {
      const query: Query = { account, from: startOfDay(), bucket: "hour", group_by: "reason", top: 50 };
      return call<RefusalSeries>("/admin/v1/refusals/series", { query, signal });
    },
    refetchInterval: everyMs,
  });

/** The sums of a series without groups; undefined while it is on its way or without requests. */
export function totalOf({ groups }: UsageSeries) {
  return groups[0]?.total;
}

/**
 * What can be spent, nano-USD: of the shown account, or of all accounts; undefined while it is
 * unknown.
 */
export function useBalance(): bigint | undefined {
  const account = useAccountId();
  const seesAll = useSeesAllAccounts();
  const one = useQuery({ ...accountQuery(account ?? ""), enabled: account !== undefined });
  const all = useInfiniteQuery({ ...accountsQuery, enabled: seesAll && account === undefined });
  if (account !== undefined) return one.data && nanoUsdOf(one.data.available_usd);
  if (all.data === undefined || all.hasNextPage) return undefined;
  return all.data.reduce((sum, { available_usd }) => sum + nanoUsdOf(available_usd), 0n);
}
