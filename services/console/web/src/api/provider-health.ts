import { queryOptions } from "@tanstack/react-query";
import { call } from "./http.ts";
import type { CatalogModel, Page } from "./types.ts";

/** Every model of the catalogue with who serves it, and how that went in the last hour. */
export const catalogQuery = queryOptions({
  queryKey: ["catalog"],
  queryFn: async ({ signal }) =>
    (await call<Page<CatalogModel>>("/admin/v1/models", { query: { limit: 1_000 }, signal })).data,
  refetchInterval: 30_000,
});

type Served = CatalogModel["providers"][number];
export type Health = Served["last_hour"];

/** How a provider is, over all its models. */
export interface ProviderHealth {
  readonly provider: string;
  readonly models: number;
  readonly calls: number;
  readonly failures: number;
  /** The 95th percentile of its slowest model, milliseconds; null when no call succeeded. */
  readonly slowestMs: number | null;
  /** Models that at least one process does not ask it for at present. */
  readonly resting: number;
  /** Set while it rejects the gateway's key or account. */
  readonly rejection: Health["rejection"];
}

function healthOf(provider: string, served: readonly Served[]): ProviderHealth {
  const hours = served.map(({ last_hour }) => last_hour);
  const times = hours.flatMap(({ latency_ms }) => (latency_ms === null ? [] : latency_ms.p95));
  return {
    provider,
    models: served.length,
    calls: hours.reduce((sum, { calls }) => sum + calls, 0),
    failures: hours.reduce((sum, { failures }) => sum + failures, 0),
    slowestMs: times.length === 0 ? null : Math.max(...times),
    resting: hours.filter(({ resting }) => resting > 0).length,
    rejection: hours.find(({ rejection }) => rejection !== null)?.rejection ?? null,
  };
}

/** The providers of a catalogue, those that are asked most first. */
export function providersOf(catalog: readonly CatalogModel[]): ProviderHealth[] {
  const served = Map.groupBy(
    catalog.flatMap(({ providers }) => providers),
    ({ provider }) => provider,
  );
  return [...served]
    .map(([provider, models]) => healthOf(provider, models))
    .sort((a, b) => b.calls - a.calls || a.provider.localeCompare(b.provider));
}
