import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { call, type Query } from "../../api/http.ts";
import type { Receipt, UsageEvent, UsageSeries } from "../../api/types.ts";
import { useUser } from "../../session/use-session.ts";
import { useAccountId } from "../../shell/account.ts";
import { useAllKeys } from "../keys/keys.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** How far back is looked, and in which steps. */
export const ranges = {
  hour24: { bucket: "hour", ms: dayMs },
  day7: { bucket: "day", ms: 7 * dayMs },
  day30: { bucket: "day", ms: 30 * dayMs },
  month12: { bucket: "month", ms: 365 * dayMs },
} as const;
export type Range = keyof typeof ranges;

export const groupings = ["none", "model", "key", "tag", "operation", "provider"] as const;
export type Grouping = (typeof groupings)[number];
export const measures = ["cost", "requests", "tokens"] as const;
export type Measure = (typeof measures)[number];

const route = getRouteApi("/app/usage");

const oneOf = <T extends string>(names: readonly T[], name: string | undefined, usual: T): T =>
  names.find((one) => one === name) ?? usual;

/** What the page's address says is to be shown. */
export function useView() {
  const search = route.useSearch();
  return {
    range: oneOf(Object.keys(ranges) as Range[], search.range, "day7"),
    by: oneOf(groupings, search.by, "model"),
    show: oneOf(measures, search.show, "cost"),
  };
}

/** The beginning of a range, at a full hour, from which single requests are listed and exported. */
export const listedFrom = (range: Range): string => windowOf(range).from.slice(0, 14).concat("00:00Z");

/** Until the next full minute, so that a view that is drawn again asks the same. */
function windowOf(range: Range): { from: string; until: string } {
  const minute = 60_000;
  const until = Math.ceil(Date.now() / minute) * minute;
  return { from: new Date(until - ranges[range].ms).toISOString(), until: new Date(until).toISOString() };
}

/** For a member, who sees the usage of own keys only: whether they are known, and the first one. */
export function useOwnKeys() {
  const isMember = useUser().role === "member";
  const { data } = useAllKeys({ account: useAccountId(), withRevoked: true });
  return { first: isMember ? data?.[0]?.id : undefined, isKnown: !isMember || data !== undefined, isMember };
}

/** The filters of the page's address, for the admin API. */
export function useFilter(): Query {
  const { model, key, operation } = route.useSearch();
  const account = useAccountId();
  const { first } = useOwnKeys();
  return { account, model, key: key ?? first, operation };
}

/**
 * Tags belong to keys, so usage is grouped here by the keys' tags.
 */
function groupsOf(by: Grouping): Query {
  return by === "tag" ? { group_by: "key", top: 50 } : { group_by: by, top: 7 };
}

export const seriesQuery = (filter: Query, range: Range, by: Grouping) =>
  queryOptions({
    queryKey: ["usage", "series", filter, range, by],
    queryFn: ({ signal }) =>
      call<UsageSeries>("/admin/v1/usage/series", {
        query: { ...filter, ...windowOf(range), bucket: ranges[range].bucket, ...groupsOf(by) },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });

export const receiptQuery = (requestId: string) =>
  queryOptions({
    queryKey: ["usage", "receipt", requestId],
    queryFn: ({ signal }) => call<Receipt>(`/admin/v1/usage/events/${encodeURIComponent(requestId)}`, { signal }),
    // A receipt does not change with the requests that follow it.
    meta: { ignoresHints: true },
  });

/** How long a request took, milliseconds. */
export function tookMs({
  started_at: start,
  ended_at: end,
}: Pick<UsageEvent, "started_at" | "ended_at">): number | null {
  return start === null || end === null ? null : Date.parse(end) - Date.parse(start);
}
