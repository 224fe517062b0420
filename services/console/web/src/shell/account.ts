import { infiniteQueryOptions, queryOptions, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { call } from "../api/http.ts";
import { pagedQuery } from "../api/paged.ts";
import type { Account } from "../api/types.ts";
import { useUser } from "../session/use-session.ts";

const route = getRouteApi("/app");
const most = 1_000;

/** Every account there is, for those who may see more than one. */
export const accountsQuery = infiniteQueryOptions(pagedQuery<Account>("accounts", "/accounts", {}, most));

export const accountPath = (id: string): string => `/admin/v1/accounts/${encodeURIComponent(id)}`;

export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: ["billing", id, "account"],
    queryFn: ({ signal }) => call<Account>(accountPath(id), { signal }),
  });

/** Whether the user sees more than one account, and so chooses. */
export function useSeesAllAccounts(): boolean {
  return useUser().account_id === null;
}

/**
 * The account that is shown: the user's own, or the one that was chosen; undefined for all of
 * them.
 */
export function useAccountId(): string | undefined {
  const { account_id: own } = useUser();
  const { account } = route.useSearch();
  const seesAll = useSeesAllAccounts();
  const { data } = useInfiniteQuery({ ...accountsQuery, enabled: seesAll });
  if (own !== null) return own;
  return account ?? (data?.length === 1 ? data[0]?.id : undefined);
}

/**
 * The name of an account by its id; the id itself while the name is unknown, and for members, who
 * cannot read accounts.
 */
export function useAccountName(): (id: string) => string {
  const { account_id: own, role } = useUser();
  const all = useInfiniteQuery({ ...accountsQuery, enabled: own === null });
  const shown = useAccountId();
  const one = useQuery({ ...accountQuery(shown ?? ""), enabled: shown !== undefined && role !== "member" });
  const names = useMemo(() => {
    const known = [...(all.data ?? []), ...(one.data === undefined ? [] : [one.data])];
    return new Map(known.map(({ id, name }) => [id, name]));
  }, [all.data, one.data]);
  return useCallback((id) => names.get(id) || id, [names]);
}
