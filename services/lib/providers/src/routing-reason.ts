/**
 * Why a call goes to an upstream, or is made with a credential.
 * - `priority`: it has the lowest priority number
 * - `weight`: a weighted draw among equals
 * - `affinity`: the conversation's own among equals
 * - `latency`: it is the fastest
 * - `cost`: it costs the operator least
 * - `cooldown`, `rate_limit`, `circuit_open`: the one that comes before it cools down, has reached
 *   a limit of its provider, or fails too often
 * - `concurrency`: the one that comes before has as many calls in progress as it is sent at once
 * - `spend_cap`: the one that comes before has reached its spend cap
 * - `probe`: it has failed, and this call finds out whether it works again
 * - `last_resort`: none is available, and this one will be first
 * - `failover`: the request's call before failed
 * - `retry`: its own call before failed, and is repeated
 * - `fallback`: the requested model failed or cools down, and this one is called in its place
 */
export type RoutingReason =
  | "priority"
  | "weight"
  | "affinity"
  | "latency"
  | "cost"
  | "cooldown"
  | "rate_limit"
  | "circuit_open"
  | "concurrency"
  | "spend_cap"
  | "probe"
  | "last_resort"
  | "failover"
  | "retry"
  | "fallback";

/** Why a call is made as it is; undefined where there was no choice. */
export interface RoutingReasons {
  readonly upstream: RoutingReason | undefined;
  readonly credential: RoutingReason | undefined;
}

/** Of a call to a model's only upstream with its only credential. */
export const noChoice: RoutingReasons = { upstream: undefined, credential: undefined };
