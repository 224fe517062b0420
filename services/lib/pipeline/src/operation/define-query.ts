import type { LinkExchange } from "@uag/link/server-exchange";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { callerOf } from "../caller.ts";
import type { ErrorFormat } from "../client-error.ts";
import type { CapabilityContext } from "../context.ts";
import { nestedErrors } from "../nested-error.ts";
import { type Attempt, type AttemptContext, attemptsOf } from "./attempts.ts";
import type { AnyBody } from "./body-reader.ts";
import { checkedOperation, type HandlingContext, respondThrown } from "./handle.ts";
import { type JsonReply, respondJson } from "./json-reply.ts";
import type { Operation } from "./operation.ts";
import { type QueryReply, respondQuery } from "./query-reply.ts";
import type { CheckedRequest, RequestSpec } from "./request-spec.ts";

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
        await respondQuery(context, exchange, await respond(exchange, callerOf(exchange.context)));
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
