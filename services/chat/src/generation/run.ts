import { callerOf } from "@uag/capability/caller.ts";
import { clientErrorOf, respondError } from "@uag/capability/client-error.ts";
import { readJsonBody } from "@uag/capability/request/body.ts";
import { findModel } from "@uag/capability/request/find-model.ts";
import type { Model, Upstream } from "@uag/catalog/types.ts";
import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import type { LinkHandler } from "@uag/link/server.ts";
import type { LinkExchange } from "@uag/link/server-exchange.ts";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import { type Attempted, AttemptsFailed, attempt } from "@uag/upstreams/attempt.ts";
import { UpstreamFailure } from "@uag/upstreams/failure.ts";
import { type Generated, generate } from "@uag/upstreams/generate.ts";
import type { GenerationCall } from "@uag/upstreams/generation.ts";
import { generationAdapter } from "@uag/upstreams/registry.ts";
import type { ChatContext } from "../context.ts";
import type { ClientFormat, GenerationRequest } from "../format.ts";
import { opaque } from "../request/opaque.ts";
import { checkUrls } from "../request/urls.ts";
import { type AdmittedGeneration, admitGeneration } from "./admit.ts";
import { Bill } from "./bill.ts";
import { deliver } from "./deliver.ts";

/** Serves a client format: reads, admits, asks upstreams, delivers, and writes the bill. */
export function generationHandler(format: ClientFormat, context: ChatContext): LinkHandler {
  return async (exchange) => {
    const caller = callerOf(exchange.context);
    using lease = context.buffers.open(caller.accountId);
    try {
      const json = await readJsonBody(exchange, lease, { opaque });
      const model = findModel(context.catalog.current, format.modelOf(json.fields), caller, format.name);
      const request = format.read(json, model);
      checkUrls(json.fields, context.guarded);
      await serve({ exchange, format, context, request, model, caller });
    } catch (thrown) {
      respondError(exchange, clientErrorOf(thrown, exchange.requestId), {
        events: context.events,
        headers: [],
        format,
      });
    }
  };
}

/** One request on its way through the service. */
export interface Serving {
  readonly exchange: LinkExchange;
  readonly format: ClientFormat;
  readonly context: ChatContext;
  readonly request: GenerationRequest;
  readonly model: Model;
  readonly caller: Caller;
}

async function serve(serving: Serving): Promise<void> {
  const { exchange, format, context, request, model, caller } = serving;
  const { requestId } = exchange;
  const admission = await admitGeneration(
    context.admission,
    {
      requestId,
      caller,
      operation: format.name,
      model: model.id,
      priceVersion: model.price.version,
      stream: request.stream,
    },
    { model, bodyBytes: request.body.length, ...request },
  );
  const { admitted } = admission;
  const bill = new Bill({
    requestId,
    admitted,
    model,
    fields: request.fields,
    bodyBytes: request.body.length,
    maxOutputTokens: Math.min(request.outputCap ?? model.maxOutputTokens, model.maxOutputTokens) * request.candidates,
    events: context.events,
  });
  let attempted: Attempted<Generated> | undefined;
  try {
    // An answer in one piece waits for its bill, which is written behind the start.
    const started = request.stream ? admitted.started : undefined;
    // Handled below: it may fail while the upstream is still being asked.
    started?.catch(() => {});
    attempted = await askUpstreams(serving, admission);
    await started;
  } catch (thrown) {
    if (attempted?.value.kind === "stream") attempted.value.live.cancel();
    await giveUp(serving, { bill, thrown, headers: admitted.headers });
    return;
  }
  try {
    await deliver(serving, { admission, attempted, bill });
  } catch (error) {
    // The bill could not be written, or made: the answer must not end as if it were whole.
    context.events.failed(requestId, error);
    if (attempted.value.kind === "whole") {
      const thrown = new GatewayError("service_unavailable", undefined, { cause: error });
      await giveUp(serving, { bill, thrown, headers: admitted.headers });
      return;
    }
    exchange.fail("service_unavailable");
    await bill.fail({ upstream: attempted.upstream, attempts: attempted.attempts, status: 503 });
  }
}

async function askUpstreams(serving: Serving, admission: AdmittedGeneration): Promise<Attempted<Generated>> {
  const { exchange, format, context, request, model, caller } = serving;
  const { pools, health, budget, events } = context;
  using media = context.media(caller);
  const call: GenerationCall = {
    requestId: exchange.requestId,
    body: request.body,
    fields: request.fields,
    model,
    stream: request.stream,
    usageWanted: request.usageWanted,
    outputCap: admission.affordableCap,
    maxUses: admission.maxUses,
    headers: format.passedHeaders(exchange.headers),
    media,
  };
  const { signal } = exchange;
  const disconnect = { drains: context.drains, draining: () => admission.admitted.clientLeft() };
  return await attempt({
    upstreams: model.upstreams,
    health,
    budget,
    signal,
    call: (upstream: Upstream) => {
      const adapter = generationAdapter(format.name, upstream.provider.protocol);
      if (adapter === undefined) throw new UpstreamFailure("operator", `no adapter for ${upstream.provider.protocol}`);
      return generate({ pools, adapter, call, upstream, signal, disconnect });
    },
    onFailure: (upstream, failure) => events.upstreamFailed(exchange.requestId, upstream, failure),
  });
}

/** No answer: the bill is nothing, or what an upstream had worked when its client left; the client is told why once that is on disk. */
async function giveUp(
  { exchange, format, context }: Serving,
  { bill, thrown, headers }: { bill: Bill; thrown: unknown; headers: readonly string[] },
): Promise<void> {
  const clientError = clientErrorOf(thrown, exchange.requestId);
  const tried = thrown instanceof AttemptsFailed ? thrown : undefined;
  const reached = tried !== undefined && tried.failure.status !== 0 ? tried.upstream : undefined;
  const status = exchange.over ? 499 : clientError.error.httpStatus;
  try {
    const workedMs = tried?.failure.workedMs;
    const answered = {
      upstream: workedMs === undefined ? reached : tried?.upstream,
      attempts: tried?.attempts ?? 0,
      status,
    };
    if (workedMs === undefined) await bill.fail(answered);
    else await bill.estimate(Outcome.DISCONNECTED, "", answered, { workedMs });
  } catch (cause) {
    throw new GatewayError("service_unavailable", undefined, { cause });
  }
  const more = ["x-gateway-attempts", String(tried?.attempts ?? 0), ...headers];
  respondError(exchange, clientError, { events: context.events, headers: more, format });
}
