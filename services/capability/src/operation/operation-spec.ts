import type { Admitted } from "@uag/admission/types.ts";
import type { Upstream } from "@uag/catalog/types.ts";
import type { Attempted, AttemptsFailed } from "@uag/upstreams/attempt.ts";
import type { Charge } from "../bill.ts";
import type { Reply } from "./reply.ts";
import type { CheckedRequest, RequestSpec } from "./request-spec.ts";

/** What a request can come to at most. */
export interface Size {
  /** Upper bound of the cost, nano-USD: set aside before an upstream is asked. */
  readonly holdNanoUsd: bigint;
  /** Reserved of the key's tokens per minute until the upstream's count corrects it. */
  readonly tokens: number;
}

/**
 * A request that may go upstream: its money is held, and its bill will be written whatever happens.
 */
export interface AdmittedRequest<R, S extends Size> extends CheckedRequest<R> {
  /** The size that was admitted. */
  readonly size: S;
  readonly admitted: Admitted;
  /**
   * Asks the model's upstreams, best first, until one answers; each failure is logged and counted.
   * @param signal gives the tries up; default: the client's leaving
   * @throws {AttemptsFailed}
   */
  attempt<T>(call: (upstream: Upstream) => Promise<T>, signal?: AbortSignal): Promise<Attempted<T>>;
}

/** A balance that did not cover a size. */
export interface Shortage<S extends Size> {
  /** The size that was refused first. */
  readonly size: S;
  /** What there is, nano-USD; undefined when billing did not say. */
  readonly availableNanoUsd: bigint | undefined;
}

/**
 * An operation that is billed by the request: what is its own. Everything around that is {@link
 * defineOperation}'s. `B` is its body, `R` a checked request, `S` its size, `A` what upstreams
 * answered.
 */
export interface OperationSpec<B, R, S extends Size, A> extends RequestSpec<B, R> {
  /**
   * A quick upper bound of a request's cost.
   * @throws {GatewayError} `unpriced_model` for what the catalogue has no price for
   */
  size(checked: CheckedRequest<R>): S;
  /**
   * Tighter sizes for a balance that does not cover the first, in the order in which to try them;
   * default: none.
   */
  resize?(checked: CheckedRequest<R>, shortage: Shortage<S>): AsyncIterable<S>;
  /** Whether the answer is sent as it comes; default: never. */
  streams?(request: R): boolean;
  /**
   * Asks upstreams. Nothing may reach the client yet.
   * @throws {AttemptsFailed} when none answered, {@link PartialFailure} when that is owed for all
   * the same
   */
  call(admitted: AdmittedRequest<R, S>): Promise<A>;
  /**
   * What a client that left owes for a call that was given up while an upstream worked on it.
   * Needed where `call` throws `AttemptsFailed` as it is.
   */
  owed?(admitted: AdmittedRequest<R, S>, failed: AttemptsFailed): Charge | Promise<Charge>;
  /** The answer for the client, with what it costs. Its first byte leaves after this. */
  respond(admitted: AdmittedRequest<R, S>, response: A): Reply | Promise<Reply>;
  /** Lets go of an answer that is not delivered, or not to its end for a fault of ours. */
  discard?(response: A): void | Promise<void>;
}
