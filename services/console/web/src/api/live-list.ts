import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import type { Query } from "./http.ts";
import { pagedQuery, rowsAtOnce } from "./paged.ts";
import type { Page } from "./types.ts";

interface Pending<T> {
  /** The rows of the newest page that precede every shown row. */
  readonly rows: readonly T[];
  /** Whether rows between them and the shown ones may not have been fetched. */
  readonly hasGap: boolean;
}

/** Compares the newest page with the shown rows. */
export function pendingRows<T>(newest: readonly T[], shown: readonly T[], idOf: (row: T) => string): Pending<T> {
  const known = new Set(shown.map(idOf));
  const first = newest.findIndex((row) => known.has(idOf(row)));
  if (first === -1) return { rows: newest, hasGap: newest.length > 0 && shown.length > 0 };
  return { rows: newest.slice(0, first), hasGap: false };
}

/** Whether new rows appear without a click: no row that was loaded, or that the reader points at, moves. */
export const followsNewest = <T>(pages: readonly Page<T>[] | undefined, isHeld: boolean): boolean =>
  pages?.length === 1 && (!isHeld || pages[0]?.data.length === 0);

interface LiveList<T> {
  readonly name: string;
  readonly path: string;
  readonly query: Query;
  readonly limit?: number;
  readonly idOf: (row: T) => string;
  /** While true, new rows wait, so that nothing moves under the reader's pointer. */
  readonly isHeld: boolean;
}

/**
 * A listing, newest row first, of which only the first page is fetched again on live updates. New
 * rows appear automatically while that page alone is loaded, and it is empty or `isHeld` is false.
 * Otherwise they are `pending` until `showPending`, which puts them above the loaded rows, or, when
 * more than a page of them has arrived (`hasGap`), starts the list again from its newest page.
 */
export function useLiveList<T>({ name, path, query, limit = rowsAtOnce, idOf, isHeld }: LiveList<T>) {
  const client = useQueryClient();
  const paged = pagedQuery<T>(name, path, query, limit);
  const pages = (): readonly Page<T>[] | undefined => client.getQueryData<InfiniteData<Page<T>>>(paged.queryKey)?.pages;
  const list = useInfiniteQuery({ ...paged, placeholderData: keepPreviousData, meta: { ignoresHints: true } });
  const { data: newest } = useQuery({
    queryKey: [name, "newest", path, query, limit],
    queryFn: ({ signal }) => paged.fetchPage("", signal),
    enabled: list.data !== undefined && !list.isPlaceholderData,
    initialData: () => pages()?.[0],
  });
  const pending = useMemo(() => pendingRows(newest?.data ?? [], list.data ?? [], idOf), [newest, list.data, idOf]);
  const showPending = (): void => {
    if (newest === undefined) return;
    client.setQueryData<InfiniteData<Page<T>, string>>(paged.queryKey, (loaded) => {
      const [first, ...others] = loaded?.pages ?? [];
      if (loaded === undefined || first === undefined || others.length === 0 || pending.hasGap)
        return { pages: [newest], pageParams: [""] };
      return { ...loaded, pages: [{ ...first, data: [...pending.rows, ...first.data] }, ...others] };
    });
  };
  const follows = followsNewest(pages(), isHeld);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each newest page is followed once
  useEffect(() => {
    if (follows) showPending();
  }, [follows, newest]);
  const rows = useMemo(() => {
    const changed = new Map(newest?.data.map((row) => [idOf(row), row]));
    return list.data?.map((row) => changed.get(idOf(row)) ?? row);
  }, [list.data, newest, idOf]);
  return { ...list, data: rows, pending: list.isPlaceholderData ? noneOf : pending, showPending };
}

const noneOf: Pending<never> = { rows: [], hasGap: false };
