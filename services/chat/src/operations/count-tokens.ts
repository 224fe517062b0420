import { jsonBody } from "@uag/pipeline/operation/body-reader";
import { defineUnbilled } from "@uag/pipeline/operation/define-query";
import type { Operation } from "@uag/pipeline/operation/operation";
import type { CheckedRequest } from "@uag/pipeline/operation/request-spec";
import type { JsonBody } from "@uag/pipeline/request/body";
import { countPrompt } from "@uag/providers/count";
import type { ChatContext } from "../context.ts";
import { bytesWithoutNulls, checkCountRequest, modelOf } from "../request/messages-request.ts";
import { opaque } from "../request/opaque.ts";
import { checkUrls } from "../request/urls.ts";
import { messages } from "./messages.ts";

/** `POST /v1/messages/count_tokens`: free, for every model. */
export function countTokens(context: ChatContext): Operation {
  return defineUnbilled(context, {
    name: messages.name,
    body: jsonBody({ opaque }),
    modelOf: ({ fields }) => modelOf(fields),
    fieldsOf: ({ fields }) => ({ sent: fields, known: messages.knownFields }),
    read(json) {
      checkCountRequest(json.fields);
      checkUrls(json.fields, context.guarded);
      return json;
    },
    errorFormat: messages,
    respond: async (checked) => ({ body: { input_tokens: await count(context, checked) } }),
  });
}

async function count(
  context: ChatContext,
  { exchange, caller, model, request: json }: CheckedRequest<JsonBody>,
): Promise<number> {
  const { requestId, signal } = exchange;
  const headers = messages.passedHeaders(exchange.headers);
  using media = context.media(caller);
  return await countPrompt({
    format: "messages",
    pools: context.pools,
    call: { requestId, body: bytesWithoutNulls(json), fields: json.fields, headers, media },
    upstreams: model.upstreams,
    signal,
    onFailure: (upstream, failure) => context.events.upstreamFailed(requestId, upstream, failure),
  });
}
