import type { Model, RoutingStrategy, Upstream } from "@uag/catalog/types";
import { routingStrategy } from "@uag/contract/requests/admin-models";
import type { Caller } from "@uag/proto/common/v1/caller.ts";
import { type Attempted, attempt, type FailedCall } from "@uag/providers/attempt";
import type { UpstreamFailure } from "@uag/providers/failure";
import type { RoutingOptions } from "@uag/providers/route";
import type { RoutingReasons } from "@uag/providers/routing-reason";
import type { CapabilityContext } from "../context.ts";
import type { CheckedRequest } from "./request-spec.ts";

const strategies = new Map<string, RoutingStrategy>(routingStrategy.options.map((name) => [name, name]));

/** The dependencies of calling upstreams. */
export type AttemptContext = Pick<CapabilityContext, "budget" | "events" | "health">;

/**
 * Calls the model's upstreams, best first, until one responds; each failure is logged and counted.
 * @param signal aborts the attempts; default: the client's disconnect
 * @throws {AttemptsFailed}
 */
export type Attempt = <T>(call: (upstream: Upstream) => Promise<T>, signal?: AbortSignal) => Promise<Attempted<T>>;

/** What a request adds to each attempt. */
export interface AttemptObserver extends Pick<RoutingOptions, "affinity" | "because" | "spend" | "tokens"> {
  /** Upstream calls that were made for the request already, such as of another model; default: none. */
  readonly attemptsBefore?: number;
  /** Surrounds a call, such as by a span. */
  around?<T>(upstream: Upstream, call: () => Promise<T>): Promise<T>;
  called?(upstream: Upstream, reasons: RoutingReasons): void;
  failed?(upstream: Upstream, failure: UpstreamFailure, call: FailedCall): void;
}

/** The key's strategy, else the model's. One of a later release is not known here. */
export function strategyOf({ routingStrategy: own }: Caller, { strategy }: Model): RoutingStrategy | undefined {
  return own === undefined || own === "" ? strategy : (strategies.get(own) ?? strategy);
}

/** The attempts of one request. */
export function attemptsOf<R>(
  { health, budget, events }: AttemptContext,
  { exchange, caller, model }: Pick<CheckedRequest<R>, "exchange" | "caller" | "model">,
  { around, called, failed, ...choice }: AttemptObserver = {},
): Attempt {
  const { requestId } = exchange;
  return (call, signal = exchange.signal) =>
    attempt({
      upstreams: model.upstreams,
      strategy: strategyOf(caller, model),
      health,
      budget,
      signal,
      ...choice,
      call: around === undefined ? call : (upstream) => around(upstream, () => call(upstream)),
      ...(called !== undefined && { onCall: called }),
      onResponse: events.upstreamResponded,
      onFailure(upstream, failure, call) {
        failed?.(upstream, failure, call);
        events.upstreamFailed(requestId, upstream, failure);
      },
    });
}
