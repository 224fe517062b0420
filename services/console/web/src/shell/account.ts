import { infiniteQueryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { pagedQuery } from "../api/paged.ts";
import type { Account } from "../api/types.ts";
import { useUser } from "../session/use-session.ts";

const route = getRouteApi("/app");
const most = 1_000;

/** Every account there is, for those who may see more than one. */
export const accountsQuery = infiniteQueryOptions(pagedQuery<Account>("accounts", "/accounts", {}, most));

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
