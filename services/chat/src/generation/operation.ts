import { endUserHeader } from "@uag/contract/end-users";
import { jsonBody } from "@uag/pipeline/operation/body-reader";
import { defineOperation } from "@uag/pipeline/operation/define-operation";
import type { Operation } from "@uag/pipeline/operation/operation";
import type { AdmittedRequest } from "@uag/pipeline/operation/operation-spec";
import type { Attempted } from "@uag/providers/attempt";
import type { Generated } from "@uag/providers/generate";
import type { GenerationCall } from "@uag/providers/generation";
import { areClassedHeaders } from "@uag/providers/passed-fields/check";
import { messagesHeaderCosts } from "@uag/providers/passed-fields/messages-headers";
import { ResponsesFallback } from "@uag/providers/responses-fallback";
import type { ChatContext } from "../context.ts";
import { type ClientFormat, type GenerationRequest, runsTools } from "../format.ts";
import { opaque } from "../request/opaque.ts";
import { checkUrls } from "../request/urls.ts";
import { type GenerationSize, quickSize, tighterSizes } from "./admission-sizes.ts";
import { affinityOf } from "./affinity.ts";
import { fitsModel } from "./fits.ts";
import { respond } from "./respond.ts";
import { acceptedBytes, checkResponseSize } from "./response-size.ts";
import { estimatedUsage } from "./usage.ts";

/** Defines the operation that generates text in a client's format. */
export function generationOperation(format: ClientFormat, context: ChatContext): Operation {
  const fallback = new ResponsesFallback();
  return defineOperation(context, {
    name: format.name,
    body: format.body ?? jsonBody({ opaque }),
    modelOf: ({ fields }) => format.modelOf(fields),
    fieldsOf: ({ fields }) => ({ sent: fields, known: format.knownFields }),
    read(json, model, { exchange }) {
      const read = format.read(json, model);
      const isClassed = areClassedHeaders(format.passedHeaders(exchange.headers), messagesHeaderCosts);
      const request = isClassed ? read : { ...read, hasUnclassedField: true };
      checkUrls(json.fields, context.guarded);
      checkResponseSize(request, model, format.format);
      return request;
    },
    instead: ({ request: { background: body }, caller, exchange }) =>
      body &&
      format.background?.({
        body,
        caller,
        idempotencyKey: exchange.header("idempotency-key"),
        endUser: exchange.header(endUserHeader),
        signal: exchange.signal,
      }),
    fits: (request, model) => fitsModel(format, request, model),
    errorFormat: format,
    size: quickSize,
    resize: tighterSizes,
    advice: ({ model, request }) =>
      capAdvice(format.outputCapField, request.outputCap ?? model.maxOutputTokens, request),
    ...(format.neverStreams !== true && { streams: ({ stream }: GenerationRequest) => stream }),
    affinity: ({ request, model, caller }) => affinityOf(request.fields, model.id, caller.accountId),
    call: (admitted: AdmittedRequest<GenerationRequest, GenerationSize>) =>
      callUpstreams({ ...context, fallback }, format, admitted),
    owed: (admitted, { failure, upstream }) =>
      estimatedUsage(admitted, { text: failure.received ?? "", upstream, failure, workedMs: failure.workedMs }),
    respond: (admitted, attempted) => respond(format, admitted, attempted),
    discard({ value }) {
      if (value.kind === "stream") value.live.cancel();
    },
  });
}

/** The output is what a request reserves most for: its cap, or the model's longest output. */
function capAdvice(field: string, tokens: number, { outputCap }: Pick<GenerationRequest, "outputCap">): string {
  const amount = new Intl.NumberFormat("en").format(tokens);
  return outputCap === undefined
    ? `Without ${field} it reserves the model's longest output, ${amount} tokens: send a smaller ${field}.`
    : `It reserves ${field}, ${amount} tokens: send a smaller ${field}.`;
}

/** Resolves with the complete response, or with the start of a stream. @throws {AttemptsFailed} */
async function callUpstreams(
  context: Pick<ChatContext, "drains" | "media" | "pools"> & { readonly fallback: ResponsesFallback },
  format: ClientFormat,
  {
    exchange,
    caller,
    model,
    request,
    size,
    admitted,
    memory,
    attempt,
  }: AdmittedRequest<GenerationRequest, GenerationSize>,
): Promise<Attempted<Generated>> {
  const { pools, drains, fallback } = context;
  using media = context.media(caller);
  const call: GenerationCall = {
    requestId: exchange.requestId,
    body: request.body,
    fields: request.fields,
    model,
    stream: request.stream,
    framing: request.framing,
    usageWanted: request.usageWanted,
    outputCap: size.sentCap,
    maxUses: size.maxUses,
    runsTools: runsTools(request),
    hasUnclassedField: request.hasUnclassedField,
    headers: format.passedHeaders(exchange.headers),
    media,
  };
  const { signal } = exchange;
  const maxBytes = acceptedBytes({ model, ...request, outputCap: size.sentCap ?? request.outputCap });
  const disconnect = { drains, draining: () => admitted.clientLeft() };
  return await attempt((upstream) =>
    fallback.generate(format.format, { pools, call, upstream, signal, disconnect, memory, maxBytes }),
  );
}
