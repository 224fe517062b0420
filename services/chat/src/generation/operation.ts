import { jsonBody } from "@uag/pipeline/operation/body-reader";
import { defineOperation } from "@uag/pipeline/operation/define-operation";
import type { Operation } from "@uag/pipeline/operation/operation";
import type { AdmittedRequest } from "@uag/pipeline/operation/operation-spec";
import type { Attempted } from "@uag/providers/attempt";
import { UpstreamFailure } from "@uag/providers/failure";
import { type Generated, generate } from "@uag/providers/generate";
import type { GenerationCall } from "@uag/providers/generation";
import { areClassedHeaders } from "@uag/providers/passed-fields/check";
import { messagesHeaderCosts } from "@uag/providers/passed-fields/messages-headers";
import { generationAdapter } from "@uag/providers/registry";
import type { ChatContext } from "../context.ts";
import type { ClientFormat, GenerationRequest } from "../format.ts";
import { opaque } from "../request/opaque.ts";
import { checkUrls } from "../request/urls.ts";
import { type GenerationSize, quickSize, tighterSizes } from "./admission-sizes.ts";
import { respond } from "./respond.ts";
import { acceptedBytes, checkResponseSize } from "./response-size.ts";
import { estimatedUsage } from "./usage.ts";

/** Defines the operation that generates text in a client's format. */
export function generationOperation(format: ClientFormat, context: ChatContext): Operation {
  return defineOperation(context, {
    name: format.name,
    body: jsonBody({ opaque }),
    modelOf: ({ fields }) => format.modelOf(fields),
    read(json, model, { exchange }) {
      const read = format.read(json, model);
      const isClassed = areClassedHeaders(format.passedHeaders(exchange.headers), messagesHeaderCosts);
      const request = isClassed ? read : { ...read, hasUnclassedField: true };
      checkUrls(json.fields, context.guarded);
      checkResponseSize(request, model);
      return request;
    },
    errorFormat: format,
    size: quickSize,
    resize: tighterSizes,
    streams: ({ stream }) => stream,
    call: (admitted: AdmittedRequest<GenerationRequest, GenerationSize>) => callUpstreams(context, format, admitted),
    owed: (admitted, { failure: { received = "", workedMs } }) =>
      estimatedUsage(admitted, { text: received, workedMs }),
    respond: (admitted, attempted) => respond(format, admitted, attempted),
    discard({ value }) {
      if (value.kind === "stream") value.live.cancel();
    },
  });
}

/** Resolves with the complete response, or with the start of a stream. @throws {AttemptsFailed} */
async function callUpstreams(
  context: Pick<ChatContext, "drains" | "media" | "pools">,
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
  const { pools, drains } = context;
  using media = context.media(caller);
  const call: GenerationCall = {
    requestId: exchange.requestId,
    body: request.body,
    fields: request.fields,
    model,
    stream: request.stream,
    usageWanted: request.usageWanted,
    outputCap: size.sentCap,
    maxUses: size.maxUses,
    runsTools: request.serverTools.tools.length > 0 || request.serverTools.searchesTools,
    headers: format.passedHeaders(exchange.headers),
    media,
  };
  const { signal } = exchange;
  const maxBytes = acceptedBytes({ model, ...request, outputCap: size.sentCap ?? request.outputCap });
  const disconnect = { drains, draining: () => admitted.clientLeft() };
  return await attempt((upstream) => {
    const adapter = generationAdapter(format.name, upstream.provider.protocol);
    if (adapter === undefined) throw new UpstreamFailure("operator", `no adapter for ${upstream.provider.protocol}`);
    return generate({ pools, adapter, call, upstream, signal, disconnect, memory, maxBytes });
  });
}
