import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiError } from "../api/error.ts";
import { NoAccount } from "../ui/not-found.tsx";
import { accountQuery, useSeesAllAccounts } from "./account.ts";

const route = getRouteApi("/app");

/** The page, unless its address names an account that does not exist. */
export function AccountGate({ children }: { readonly children: ReactNode }) {
  const { account } = route.useSearch();
  const seesAll = useSeesAllAccounts();
  const { error } = useQuery({ ...accountQuery(account ?? ""), enabled: seesAll && account !== undefined });
  return error instanceof ApiError && error.status === 404 ? <NoAccount /> : children;
}
