import { queryOptions } from "@tanstack/react-query";
import { call } from "./http.ts";
import type { Model, Page } from "./types.ts";

/** Every model there is, with prices, as the public API lists them. */
export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: async ({ signal }) => (await call<Page<Model>>("/gateway/v1/models", { signal })).data,
  staleTime: 300_000,
});
