import type { AttemptsFailed } from "@uag/providers/attempt";
import type { ResponseMemory } from "@uag/untrusted/response-memory";
import type { Admitted } from "@uag/usage/types";
import type { UsageCharge } from "../bill.ts";
import type { Attempt } from "./attempts.ts";
import type { AnyBody } from "./body-reader.ts";
import type { QueryReply } from "./query-reply.ts";
import type { Replaced } from "./replaced.ts";
import type { Reply } from "./reply.ts";
import type { CheckedRequest, RequestSpec } from "./request-spec.ts";

/** Upper bounds of a request. */
export interface Size {
  /** Upper bound of the cost, nano-USD: reserved before an upstream is called. */
  readonly holdNanoUsd: bigint;
  /** Reserved from the key's tokens per minute until the upstream's count corrects it. */
  readonly tokens: number;
}

/**
 * A request that may be sent upstream: its money is held, and its bill will be written whatever
 * happens.
 */
export interface AdmittedRequest<R, S extends Size> extends CheckedRequest<R> {
  /** The size that was admitted. */
  readonly size: S;
  readonly admitted: Admitted;
  /** Accounts for the responses of its upstream calls. */
  readonly memory: ResponseMemory;
  readonly attempt: Attempt;
  /** Set when another model than the requested one serves it. */
  readonly replaced?: Replaced | undefined;
}

/** A balance that did not cover a size. */
export interface Shortage<S extends Size> {
  /** The size that was refused first. */
  readonly size: S;
  /** The available balance, nano-USD; undefined when billing did not report it. */
  readonly availableNanoUsd: bigint | undefined;
}

/**
 * The specific part of an operation that is billed per request; {@link defineOperation} does the
 * rest. `B` is its body, `R` a checked request, `S` its size, `A` what upstreams responded.
 */
export interface OperationSpec<B extends AnyBody, R, S extends Size, A> extends RequestSpec<B, R> {
  /**
   * Responds to a request that is not served now, without a bill of its own; undefined: it is served.
   * Default: all are.
   */
  instead?(checked: CheckedRequest<R>): Promise<QueryReply> | undefined;
  /**
   * A quick upper bound of a request's cost.
   * @throws {GatewayError} `unpriced_model` for what the catalogue has no price for
   */
  size(checked: CheckedRequest<R>): S;
  /**
   * Tighter sizes for a balance that does not cover the first, in the order to try them; default:
   * none.
   */
  resize?(checked: CheckedRequest<R>, shortage: Shortage<S>): AsyncIterable<S>;
  /** A sentence on how a request can be made to cost less, for a refusal of its hold; default: none. */
  advice?(checked: CheckedRequest<R>): string | undefined;
  /**
   * A number of 32 bits that the requests of one conversation share, so that they go to the same
   * credential; default: random. It is called only where there is a choice.
   */
  affinity?(checked: CheckedRequest<R>): number;
  /** Whether the response is streamed; default: never. */
  streams?(request: R): boolean;
  /**
   * What upstreams' responses are expected to take up in memory, bytes: reserved before the
   * request is admitted. Default: nothing; then responses are accounted for as they arrive.
   */
  responseBytes?(checked: CheckedRequest<R>): number;
  /**
   * Calls upstreams. Nothing may be sent to the client yet.
   * @throws {AttemptsFailed} when none responded, {@link PartialFailure} when something is owed
   * anyway
   */
  call(admitted: AdmittedRequest<R, S>): Promise<A>;
  /**
   * Estimates what an upstream charges for a call that was aborted while it worked on it
   * (`failure.workedMs`), or whose response could not be used (`failure.received`). Required where
   * `call` throws `AttemptsFailed` unchanged.
   */
  owed?(admitted: AdmittedRequest<R, S>, failed: AttemptsFailed): UsageCharge | Promise<UsageCharge>;
  /** The response for the client, with its usage. Its first byte is sent after this. */
  respond(admitted: AdmittedRequest<R, S>, response: A): Reply | Promise<Reply>;
  /** Discards a response that is not delivered, or not completely because of an internal fault. */
  discard?(response: A): void | Promise<void>;
}
