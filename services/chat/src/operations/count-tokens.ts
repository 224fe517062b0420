import { callerOf } from "@uag/capability/caller.ts";
import { clientErrorOf, respondError } from "@uag/capability/client-error.ts";
import { readJsonBody } from "@uag/capability/request/body.ts";
import { findModel } from "@uag/capability/request/find-model.ts";
import type { LinkHandler } from "@uag/link/server.ts";
import type { LinkExchange } from "@uag/link/server-exchange.ts";
import { countPrompt } from "@uag/upstreams/count.ts";
import type { ChatContext } from "../context.ts";
import { bytesWithoutNulls, checkCountRequest, modelOf } from "../request/messages-request.ts";
import { opaque } from "../request/opaque.ts";
import { checkUrls } from "../request/urls.ts";
import { messages } from "./messages.ts";

/** `POST /v1/messages/count_tokens`: free, for every model. */
export function countTokens(context: ChatContext): LinkHandler {
  return async (exchange) => {
    try {
      const tokens = await count(exchange, context);
      const body = Buffer.from(JSON.stringify({ input_tokens: tokens }));
      const headers = ["content-type", "application/json", "content-length", String(body.length)];
      if (!exchange.over) exchange.respond(200, headers, body);
    } catch (thrown) {
      const clientError = clientErrorOf(thrown, exchange.requestId);
      respondError(exchange, clientError, { events: context.events, headers: [], format: messages });
    }
  };
}

async function count(exchange: LinkExchange, context: ChatContext): Promise<number> {
  const caller = callerOf(exchange.context);
  using lease = context.buffers.open(caller.accountId);
  const json = await readJsonBody(exchange, lease, { opaque });
  const { fields } = json;
  const model = findModel(context.catalog.current, modelOf(fields), caller, messages.name);
  checkCountRequest(fields);
  checkUrls(fields, context.guarded);
  const { requestId, signal } = exchange;
  const headers = messages.passedHeaders(exchange.headers);
  using media = context.media(caller);
  return await countPrompt({
    pools: context.pools,
    call: { requestId, body: bytesWithoutNulls(json), fields, headers, media },
    upstreams: model.upstreams,
    signal,
    onFailure: (upstream, failure) => context.events.upstreamFailed(requestId, upstream, failure),
  });
}
