import { queryOptions, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useUser } from "../session/use-session.ts";
import { call } from "./http.ts";
import { catalogQuery } from "./provider-health.ts";
import type { Model, Page } from "./types.ts";

/** The models that are served, with prices, as the public API lists them. */
const servedQuery = queryOptions({
  queryKey: ["models"],
  queryFn: async ({ signal }) => (await call<Page<Model>>("/gateway/v1/models", { signal })).data,
  staleTime: 300_000,
});

/**
 * The models with their prices: those that the person's key could call; the whole catalogue for an
 * auditor, who has no key.
 */
export function useModels(): UseQueryResult<readonly Model[]> {
  const reads = useUser().role === "auditor";
  const served = useQuery({ ...servedQuery, enabled: !reads });
  const catalog = useQuery({ ...catalogQuery, enabled: reads });
  return reads ? catalog : served;
}
