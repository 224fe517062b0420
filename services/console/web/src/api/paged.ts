import { infiniteQueryOptions } from "@tanstack/react-query";
import { call, type Query } from "./http.ts";
import type { Page } from "./types.ts";

const rowsAtOnce = 50;

/** A listing of the admin API, page by page, its rows in one array. */
export function pagedQuery<T>(name: string, path: string, query: Query = {}, limit: number = rowsAtOnce) {
  return infiniteQueryOptions({
    queryKey: [name, "list", path, query, limit],
    queryFn: ({ pageParam, signal }) =>
      call<Page<T>>(`/admin/v1${path}`, { query: { ...query, limit, after: pageParam }, signal }),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  });
}
