import { infiniteQueryOptions } from "@tanstack/react-query";
import { call, type Query } from "./http.ts";
import type { Page } from "./types.ts";

export const rowsAtOnce = 50;

/** A listing of the admin API, page by page, its rows in one array; `fetchPage` fetches one page. */
export function pagedQuery<T>(name: string, path: string, query: Query = {}, limit: number = rowsAtOnce) {
  const fetchPage = (after: string, signal: AbortSignal): Promise<Page<T>> =>
    call<Page<T>>(`/admin/v1${path}`, { query: { ...query, limit, after }, signal });
  const options = infiniteQueryOptions({
    queryKey: [name, "list", path, query, limit],
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  });
  return { ...options, fetchPage };
}
