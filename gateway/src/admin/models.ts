import type { UpstreamStatus } from "@uag/contract/messages/status";
import { pageQuery } from "@uag/contract/requests/admin";
import type { catalogModel } from "@uag/contract/responses/admin-fleet";
import { model as modelResponse } from "@uag/contract/responses/chat";
import type { Shown } from "@uag/contract/responses/shown";
import type { CatalogModel, CatalogUpstream } from "@uag/proto/billing/v1/admin.ts";
import { percentilesOf } from "@uag/runtime/histogram";
import type { AdminHandler } from "./admin.ts";
import { checkedQuery } from "./check.ts";
import { listOf } from "./json.ts";
import type { Replica } from "./replicas.ts";

const usualPage = 1_000;

type Shows = Shown<typeof catalogModel>;

const keyOf = (provider: string, model: string): string => `${provider}\n${model}`;

/** The figures of each upstream in the last hour, over all live processes. */
function seenBy(replicas: readonly Replica[]): Map<string, UpstreamStatus[]> {
  return Map.groupBy(
    replicas.flatMap(({ status }) => status.upstreams),
    ({ provider, model }) => keyOf(provider, model),
  );
}

function showHealth(seen: readonly UpstreamStatus[]): Shows["providers"][number]["last_hour"] {
  const bins: number[] = [];
  for (const { latency } of seen) for (const [bin, times] of latency.entries()) bins[bin] = (bins[bin] ?? 0) + times;
  const times = percentilesOf(bins);
  return {
    calls: seen.reduce((sum, { calls }) => sum + calls, 0),
    failures: seen.reduce((sum, { failures }) => sum + failures, 0),
    latency_ms: times ?? null,
    resting: seen.filter(({ rests_for_ms: ms }) => ms > 0).length,
    rests_for_ms: seen.reduce((max, { rests_for_ms: ms }) => Math.max(max, ms), 0),
  };
}

function showProvider(upstream: CatalogUpstream, seen: ReadonlyMap<string, UpstreamStatus[]>) {
  const { provider, model, priority, weight } = upstream;
  return { provider, model, priority, weight, last_hour: showHealth(seen.get(keyOf(provider, model)) ?? []) };
}

function showModel(model: CatalogModel, seen: ReadonlyMap<string, UpstreamStatus[]>): Shows {
  return {
    ...modelResponse.parse(JSON.parse(model.entry)),
    price_version: model.priceVersion,
    providers: model.upstreams.map((upstream) => showProvider(upstream, seen)),
  };
}

/**
 * The catalogue loaded, whether or not a provider is served, with the providers' figures of the
 * last hour.
 */
export const listModels: AdminHandler = async ({ clients, replicas, url }) => {
  const { limit = usualPage, after = "" } = checkedQuery(pageQuery, url);
  const { models } = await clients.admin.listCatalogModels({});
  const cursorOf = ({ id }: CatalogModel): string => Buffer.from(id).toString("base64url");
  const start = after === "" ? 0 : models.findIndex((model) => cursorOf(model) === after) + 1;
  const page = models.slice(start, start + limit);
  const last = page.at(-1);
  const seen = seenBy(replicas.living());
  return {
    body: listOf(
      page.map((model) => showModel(model, seen)),
      last === undefined || start + limit >= models.length ? "" : cursorOf(last),
    ),
  };
};
