import type { LinkExchange } from "@uag/link/server-exchange";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { callerOf } from "../caller.ts";
import { clientErrorOf, type ErrorFormat } from "../client-error.ts";
import type { CapabilityContext } from "../context.ts";
import { nestedErrors } from "../nested-error.ts";
import { type Attempt, type AttemptContext, attemptsOf } from "./attempts.ts";
import type { AnyBody } from "./body-reader.ts";
import { checkedOperation, type HandlingContext, respondThrown } from "./handle.ts";
import { type JsonReply, respondJson } from "./json-reply.ts";
import type { Operation } from "./operation.ts";
import type { CheckedRequest, RequestSpec } from "./request-spec.ts";

/** A response of bytes that are sent as they are read. */
export interface StreamedReply {
  /** Alternating name and value. */
  readonly headers: readonly string[];
  readonly chunks: AsyncIterable<Buffer>;
}

type QueryReply = JsonReply | StreamedReply;

/** How a request without a model is served. */
export interface QuerySpec {
  /** @throws {GatewayError} which is reported to the client */
  respond(exchange: LinkExchange, caller: Caller): QueryReply | Promise<QueryReply>;
  /** Default: OpenAI's nested form. */
  readonly errorFormat?: ErrorFormat;
}

/** Defines an unbilled operation that concerns no model: a list, or one item by id. */
export function defineQuery(
  context: Pick<CapabilityContext, "events">,
  { respond, errorFormat = nestedErrors }: QuerySpec,
): Operation {
  return {
    async handler(exchange) {
      try {
        const reply = await respond(exchange, callerOf(exchange.context));
        if ("chunks" in reply) await respondStreamed(context, exchange, reply);
        else respondJson(exchange, reply);
      } catch (thrown) {
        respondThrown(context, thrown, { exchange, errorFormat, warnings: [] });
      }
    },
    errorFormat: async () => errorFormat,
  };
}

/** A request without a bill, which may call upstreams. */
export interface UnbilledRequest<R> extends CheckedRequest<R> {
  readonly attempt: Attempt;
}

/** How a request with a body is read, checked and served without a bill. */
export interface UnbilledSpec<B extends AnyBody, R> extends RequestSpec<B, R> {
  /** @throws {GatewayError} or {AttemptsFailed}, which is reported to the client */
  respond(request: UnbilledRequest<R>): Promise<JsonReply>;
}

/**
 * Defines an operation with a request body and a model but without a bill of its own: it is free,
 * or what it starts is billed separately.
 */
export function defineUnbilled<B extends AnyBody, R>(
  context: HandlingContext & AttemptContext,
  spec: UnbilledSpec<B, R>,
): Operation {
  return checkedOperation(context, spec, async (checked) => {
    const { headers = [], ...reply } = await spec.respond({ ...checked, attempt: attemptsOf(context, checked) });
    respondJson(checked.exchange, { ...reply, headers: [...headers, ...checked.warnings] });
  });
}

/** @throws what reading the first chunk throws; a later failure interrupts the response */
async function respondStreamed(
  { events }: Pick<CapabilityContext, "events">,
  exchange: LinkExchange,
  { headers, chunks }: StreamedReply,
): Promise<void> {
  const reading = chunks[Symbol.asyncIterator]();
  try {
    let chunk = await reading.next();
    if (exchange.over) return;
    exchange.head(200, headers);
    try {
      for (; chunk.done !== true; chunk = await reading.next())
        if (!exchange.write(chunk.value)) await exchange.drained();
      exchange.end();
    } catch (error) {
      // A client that has disconnected is no failure.
      if (exchange.over) return;
      const clientError = clientErrorOf(error, exchange.requestId);
      events.refused(clientError);
      exchange.fail(clientError.error.code);
    }
  } finally {
    await reading.return?.();
  }
}
