import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/http.ts";
import type { Page, Reconciliation, UsageEvent } from "../../api/types.ts";

export type Figure = Reconciliation["figures"][number];

export const billsQuery = queryOptions({
  queryKey: ["reconciliations"],
  queryFn: ({ signal }) => call<Page<Reconciliation>>("/admin/v1/reconciliations", { signal }),
});

/** How many requests of a day are searched for those of a model. */
export const searched = 1_000;
const dayMs = 86_400_000;

/** A provider's name of a model without the date of its snapshot, as reports are compared. */
const withoutDate = (model: string): string => model.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "");

/** The newest requests that a provider's model served on a day (UTC). */
export const requestsQuery = ({ provider, day }: Reconciliation, model: string) =>
  queryOptions({
    queryKey: ["reconciliations", provider, day, model],
    queryFn: async ({ signal }): Promise<UsageEvent[]> => {
      const from = Date.parse(`${day}T00:00:00Z`);
      const times = { from: new Date(from).toISOString(), until: new Date(from + dayMs).toISOString() };
      const query = { provider, ...times, limit: searched };
      const { data } = await call<Page<UsageEvent>>("/admin/v1/usage/events", { query, signal });
      return data.filter(({ upstream_model: name }) => withoutDate(name) === model);
    },
  });

/** The day's total cost. */
export const totalOf = ({ figures }: Reconciliation): Figure | undefined =>
  figures.find(({ model, unit }) => model === null && unit === "usd");
