import { GatewayError } from "@uag/contract/errors/gateway-error";
import { circuitStates, type UpstreamStatus } from "@uag/contract/messages/status";
import { pageQuery } from "@uag/contract/requests/admin";
import { pathFields } from "@uag/contract/requests/admin-fields";
import { createModelRequest, routingStrategy, updateModelRequest } from "@uag/contract/requests/admin-models";
import type { catalogModel } from "@uag/contract/responses/admin-fleet";
import { model as modelResponse } from "@uag/contract/responses/chat";
import type { Shown } from "@uag/contract/responses/shown";
import type { CatalogModel, CatalogUpstream } from "@uag/proto/billing/v1/admin.ts";
import { percentilesOf } from "@uag/runtime/histogram";
import type { AdminCall, AdminHandler } from "./admin.ts";
import { checkedBody, checkedQuery } from "./check.ts";
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
    circuit: circuitStates.findLast((state) => seen.some(({ circuit }) => circuit === state)) ?? "closed",
    rejection: seen.find(({ rejection }) => rejection !== undefined)?.rejection ?? null,
    rests_for_ms: seen.reduce((max, { rests_for_ms: ms }) => Math.max(max, ms), 0),
  };
}

/** What a model's providers are shown with. */
interface Showing {
  readonly seen: ReadonlyMap<string, UpstreamStatus[]>;
  /** What the operator pays is shown to tokens of all accounts only. */
  readonly costs: boolean;
}

const showing = ({ replicas, admin }: AdminCall): Showing => ({
  seen: seenBy(replicas.living()),
  costs: admin.accountId === "",
});

function showProvider(upstream: CatalogUpstream, { seen, costs }: Showing): Shows["providers"][number] {
  const { provider, model, priority, weight } = upstream;
  const cost = costs && upstream.cost !== "" ? (JSON.parse(upstream.cost) as Record<string, unknown>) : null;
  return { provider, model, priority, weight, cost, last_hour: showHealth(seen.get(keyOf(provider, model)) ?? []) };
}

function showModel(model: CatalogModel, shown: Showing): Shows {
  return {
    ...modelResponse.parse(JSON.parse(model.entry)),
    price_version: model.priceVersion,
    enabled: model.enabled,
    source: model.added ? "runtime" : "file",
    changed: model.changed,
    revision: Number(model.revision),
    // Billing of an earlier release reports none.
    strategy: routingStrategy.catch("priority").parse(model.strategy),
    fallbacks: model.fallbacks,
    providers: model.upstreams.map((upstream) => showProvider(upstream, shown)),
  };
}

/**
 * The catalogue loaded, whether or not a provider is served, with the providers' figures of the
 * last hour.
 */
export const listModels: AdminHandler = async (call) => {
  const { clients, url } = call;
  const { limit = usualPage, after = "" } = checkedQuery(pageQuery, url);
  const { models } = await clients.admin.listCatalogModels({});
  const cursorOf = ({ id }: CatalogModel): string => Buffer.from(id).toString("base64url");
  const start = after === "" ? 0 : models.findIndex((model) => cursorOf(model) === after) + 1;
  const page = models.slice(start, start + limit);
  const last = page.at(-1);
  const shown = showing(call);
  return {
    body: listOf(
      page.map((model) => showModel(model, shown)),
      last === undefined || start + limit >= models.length ? "" : cursorOf(last),
    ),
  };
};

/** Changes of the audit log wait for each other. */
const timeoutMs = 20_000;

const unknownModel = (): GatewayError => new GatewayError("not_found", "The model does not exist.", { param: "model" });

/** The model's id in the path. A malformed id is treated as unknown. */
function modelIn({ request }: AdminCall): string {
  const checked = pathFields.model.safeParse(request.params["model"]);
  if (!checked.success) throw unknownModel();
  return checked.data;
}

async function readModel(call: AdminCall, id: string): Promise<Shows> {
  const { models } = await call.clients.admin.listCatalogModels({}, { timeoutMs });
  const found = models.find((model) => model.id === id);
  if (found === undefined) throw unknownModel();
  return showModel(found, showing(call));
}

export const getModel: AdminHandler = async (call) => ({ body: await readModel(call, modelIn(call)) });

export const createModel: AdminHandler = async (call) => {
  const { id, like = "", enabled = true, ...fields } = checkedBody(createModelRequest, call.body);
  const { clients, actor } = call;
  await clients.catalog.createModel({ id, like, enabled, fields: JSON.stringify(fields), actor }, { timeoutMs });
  return { status: 201, body: await readModel(call, id) };
};

export const updateModel: AdminHandler = async (call) => {
  const id = modelIn(call);
  const { revision, enabled, ...fields } = checkedBody(updateModelRequest, call.body);
  const change = {
    id,
    revision: BigInt(revision),
    ...(enabled !== undefined && { enabled }),
    fields: JSON.stringify(fields),
    actor: call.actor,
  };
  await call.clients.catalog.updateModel(change, { timeoutMs });
  return { body: await readModel(call, id) };
};

/** Returns the model as it was. */
export const deleteModel: AdminHandler = async (call) => {
  const id = modelIn(call);
  const body = await readModel(call, id);
  await call.clients.catalog.deleteModel({ id, actor: call.actor }, { timeoutMs });
  return { body };
};
