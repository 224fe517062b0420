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

/** A period from one minute to another, in UTC, or a range that ends now. */
export type Period = Range | { readonly from: string; readonly until: string };

const minuteMs = 60_000;
/** The longest period that is shown by hour, and by day. */
const longestMs = { hour: 3 * dayMs, day: 92 * dayMs } as const;

const timeIn = (text: string | undefined): string | undefined =>
  text === undefined || Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString();

/** The period of the page's address: a chosen one goes before a range. */
export function usePeriod(): Period {
  const search = route.useSearch();
  const { range } = useView();
  const [from, until] = [timeIn(search.from), timeIn(search.until)];
  if (from === undefined && until === undefined) return range;
  const end = until ?? new Date(Math.ceil(Date.now() / minuteMs) * minuteMs).toISOString();
  return { from: from ?? new Date(Date.parse(end) - ranges[range].ms).toISOString(), until: end };
}

/** Until the next full minute, so that a view that is drawn again asks the same. */
export function windowOf(period: Period): { from: string; until: string } {
  if (typeof period !== "string") return period;
  const until = Math.ceil(Date.now() / minuteMs) * minuteMs;
  return { from: new Date(until - ranges[period].ms).toISOString(), until: new Date(until).toISOString() };
}

/** The steps in which a period is shown. */
export function bucketOf(period: Period): "hour" | "day" | "month" {
  if (typeof period === "string") return ranges[period].bucket;
  const ms = Date.parse(period.until) - Date.parse(period.from);
  if (ms <= longestMs.hour) return "hour";
  return ms <= longestMs.day ? "day" : "month";
}

/** The times of listed requests: a range begins at a full hour, and has no end. */
function listedTimes(period: Period): Query {
  return typeof period === "string" ? { from: windowOf(period).from.slice(0, 14).concat("00:00Z") } : period;
}

/** A number in the address; undefined for anything else, which is ignored. */
const numberIn = (text: string | undefined): string | undefined =>
  text !== undefined && /^\d{1,9}(\.\d{1,9})?$/.test(text) ? text : undefined;

/** The filters of single requests. A request id is searched for in all times. */
export function useListFilter(): Query {
  const { outcome, status, code, tag, cost, ms, id } = route.useSearch();
  const filter = useFilter();
  const period = usePeriod();
  if (id !== undefined) return { account: filter["account"], key: filter["key"], request: id };
  return {
    ...filter,
    ...listedTimes(period),
    outcome,
    status: /^[1-5]\d\d$/.test(status ?? "") ? status : undefined,
    error_code: /^[a-z_]{1,64}$/.test(code ?? "") ? code : undefined,
    tag,
    min_cost_usd: numberIn(cost),
    min_duration_ms: /^\d{1,9}$/.test(ms ?? "") ? ms : undefined,
  };
}

/** For a member, who sees the usage of own keys only: whether they are known, and the first one. */
export function useOwnKeys() {
  const isMember = useUser().role === "member";
  const { data } = useAllKeys({ account: useAccountId(), withRevoked: true });
  return { first: isMember ? data?.[0]?.id : undefined, isKnown: !isMember || data !== undefined, isMember };
}

/** The filters of the page's address, for the admin API. */
export function useFilter(): Query {
  const { model, key, operation, provider } = route.useSearch();
  const account = useAccountId();
  const { first } = useOwnKeys();
  return { account, model, key: key ?? first, operation, provider };
}

/**
 * Tags belong to keys, so usage is grouped here by the keys' tags.
 */
function groupsOf(by: Grouping): Query {
  return by === "tag" ? { group_by: "key", top: 50 } : { group_by: by, top: 7 };
}

export const seriesQuery = (filter: Query, period: Period, by: Grouping) =>
  queryOptions({
    queryKey: ["usage", "series", filter, period, by],
    queryFn: ({ signal }) =>
      call<UsageSeries>("/admin/v1/usage/series", {
        query: { ...filter, ...windowOf(period), bucket: bucketOf(period), ...groupsOf(by) },
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
