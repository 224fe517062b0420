import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call, type Query } from "../../api/http.ts";
import type { Page, Refusal, RefusalSeries } from "../../api/types.ts";
import { bucketOf, type Period, windowOf } from "./usage.ts";

/** Metering receives refusals every two seconds, without a hint. */
const everyMs = 5_000;

/** The last refused requests. */
export const refusalsQuery = (filter: Query) =>
  queryOptions({
    queryKey: ["usage", "refusals", filter],
    queryFn: async ({ signal }) => (await call<Page<Refusal>>("/admin/v1/refusals", { query: filter, signal })).data,
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
  });

/** The number of refused requests by reason over a period. */
export const refusalSeriesQuery = (filter: Query, period: Period) =>
  queryOptions({
    queryKey: ["usage", "refusals", "series", filter, period],
    queryFn: ({ signal }) =>
      call<RefusalSeries>("/admin/v1/refusals/series", {
        query: { ...filter, ...windowOf(period), bucket: bucketOf(period), group_by: "reason", top: 50 },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
  });
