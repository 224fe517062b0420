import { infiniteQueryOptions, type QueryClient, queryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../api/http.ts";
import { pagedQuery } from "../../api/paged.ts";
import type { Key } from "../../api/types.ts";

const rowsAtOnce = 1_000;

export type KeyStatus = "active" | "revoked" | "expired";

export function statusOf(key: Key): KeyStatus {
  if (key.revoked_at !== null) return "revoked";
  return key.expires !== null && Date.parse(key.expires) <= Date.now() ? "expired" : "active";
}

/** The tags in a key's metadata. */
export function tagsOf({ metadata }: Key): string[] {
  const { tags } = metadata;
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [];
}

/** Made by the console for its playground, and ended with a session. */
export function isOfPlayground({ metadata }: Key): boolean {
  return metadata["console_purpose"] === "playground";
}

export interface KeyQuery {
  readonly account: string | undefined;
  readonly withRevoked: boolean;
}

const keysQuery = ({ account, withRevoked }: KeyQuery) =>
  infiniteQueryOptions({
    ...pagedQuery<Key>("keys", "/keys", { account, include_revoked: withRevoked }, rowsAtOnce),
    // Usage changes a row's last use, which is recorded to the minute.
    refetchInterval: 60_000,
  });

/**
 * All keys, so that they are searched and sorted as a whole; the rest comes while the first page
 * is shown.
 */
export function useAllKeys(query: KeyQuery) {
  const found = useInfiniteQuery(keysQuery(query));
  const { hasNextPage, isFetching, fetchNextPage } = found;
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  return found;
}

/** True where all words of the search are in what is known of the key. */
export function fits(key: Key, search: string): boolean {
  const text = [key.key_alias, key.hint, key.id, key.account_id, ...tagsOf(key)].join(" ").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export const keyPath = (id: string): string => `/admin/v1/keys/${encodeURIComponent(id)}`;

/** One key with its recent use: fetched again when the key or its account's usage changes. */
export const keyQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ["key", id],
    queryFn: () => call<Key>(keyPath(id ?? "")),
    enabled: id !== undefined,
    staleTime: 0,
  });

/** After a change: what is shown of keys is fetched anew. */
export async function refreshKeys(client: QueryClient): Promise<void> {
  await Promise.all(["keys", "key"].map((name) => client.invalidateQueries({ queryKey: [name] })));
}
