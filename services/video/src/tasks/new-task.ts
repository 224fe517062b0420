import { unpricedModel } from "@uag/catalog/price";
import { type Attempt, strategyOf } from "@uag/pipeline/operation/attempts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import { Route } from "@uag/providers/route";
import { purseOf } from "@uag/usage/wallet/account";
import type { VideoContext } from "../context.ts";
import { keptRates, priceOf } from "../price.ts";
import type { VideoRequest } from "../request/read.ts";
import type { TaskDocument } from "../store/task.ts";
import { adapterOf } from "./create.ts";
import { newTaskId } from "./ids.ts";
import { promptHash } from "./machine.ts";
import { createLeaseMs } from "./poll-schedule.ts";

/** A request for a task, and its owner. */
export interface Submission {
  /** Calls the upstreams of the model. */
  readonly attempt: Attempt;
  readonly request: VideoRequest;
  readonly caller: Caller;
  readonly requestId: string;
  /** Digest of the catalogue that the model is from. */
  readonly catalogVersion: string;
  readonly idempotencyKey: string | undefined;
  /** The client's own id of the request. */
  readonly clientRequestId?: string | undefined;
  /** Of the trace that the request belongs to. */
  readonly traceId?: string | undefined;
  /** Of its sampled span there. */
  readonly spanId?: string | undefined;
}

/** The maximum cost of a task, nano-USD. @throws {GatewayError} `unpriced_model` without a price for its terms */
export function maxCostOf({ model, terms }: Pick<VideoRequest, "model" | "terms">): bigint {
  const { pricing, costNanoUsd } = priceOf(terms, model.price);
  if (pricing !== Pricing.EXACT)
    throw unpricedModel(`${model.id} at ${[terms.resolution, ...terms.variants].join("-")}`);
  return costNanoUsd;
}

/** Builds the row of a task, which is stored before any provider is called. */
export function newTask(context: Pick<VideoContext, "settings" | "health">, given: Submission): TaskDocument {
  const { request, caller, requestId, catalogVersion, idempotencyKey, clientRequestId, traceId, spanId } = given;
  const { model, family, terms, webhookUrl } = request;
  const upstream = new Route(model.upstreams, context.health, { strategy: strategyOf(caller, model) }).next()?.upstream;
  if (upstream === undefined) throw new Error("the requested model has no upstreams");
  const purse = purseOf(caller);
  const now = new Date();
  const id = newTaskId(now.getTime());
  const lifeMs = context.settings.TASK_AGE_LIMIT_MS ?? request.lifeMs ?? adapterOf(upstream).lifeMs;
  return {
    _id: id,
    ids: [id],
    accountId: caller.accountId,
    keyId: caller.keyId,
    budgetKeyId: purse.keyId,
    ...(purse.budgetIds.length > 0 && { budgetIds: purse.budgetIds }),
    ...(caller.rootKeyId !== undefined && { rootKeyId: caller.rootKeyId }),
    requestId,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(clientRequestId !== undefined && { clientRequestId }),
    ...(traceId !== undefined && { traceId }),
    ...(spanId !== undefined && { spanId }),
    model: model.id,
    family,
    provider: upstream.provider.name,
    upstreamModel: upstream.model,
    credentialId: upstream.provider.credential.id,
    status: "submitted",
    upstreamStatus: "",
    hidden: false,
    createdAt: now,
    updatedAt: now,
    expiresAt: new Date(now.getTime() + lifeMs),
    live: true,
    dueAt: new Date(now.getTime() + createLeaseMs(context.settings)),
    claim: "",
    polls: 0,
    misses: 0,
    terms,
    holdNanoUsd: maxCostOf(request),
    priceVersion: model.price.version,
    catalogVersion,
    rates: keptRates(model.price),
    promptHash: promptHash(request.prompt),
    ...(request.seed !== undefined && { seed: request.seed }),
    ...(request.omitted !== undefined && { omitted: request.omitted }),
    ...(webhookUrl !== undefined && { webhookUrl }),
  };
}
