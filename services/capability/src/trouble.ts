import { GatewayError, toGatewayError } from "@uag/kit/errors.ts";
import { LinkError } from "@uag/link/errors.ts";
import type { LinkExchange } from "@uag/link/server-exchange.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { AttemptsFailed } from "@uag/upstreams/attempt.ts";
import { failureToGatewayError, UpstreamFailure } from "@uag/upstreams/failure.ts";
import type { CapabilityEvents } from "./events.ts";

/** What the client is told of a failure: ours, or an upstream's own words. */
export interface Trouble {
  readonly error: GatewayError;
  /** The upstream's failure behind it, if it was one. */
  readonly failure: UpstreamFailure | undefined;
  readonly requestId: string;
}

/** Anything thrown, as what the client is told. */
export function troubleOf(thrown: unknown, requestId: string): Trouble {
  const failure = thrown instanceof AttemptsFailed ? thrown.failure : thrown;
  if (failure instanceof UpstreamFailure) return { error: failureToGatewayError(failure), failure, requestId };
  if (thrown instanceof LinkError && thrown.code === "too_large") {
    return { error: new GatewayError("payload_too_large"), failure: undefined, requestId };
  }
  return { error: toGatewayError(thrown), failure: undefined, requestId };
}

/** How a client's format tells of a failure. */
export interface ErrorFormat {
  errorBody(trouble: Trouble): Buffer;
  /** The status that the client is told; default: the error's own. */
  errorStatus?(trouble: Trouble): number;
}

/** A format, or how to tell it by the request's body, which is undefined when it could not be read, and by who asks. */
export type FormatChoice = ErrorFormat | ((body: Buffer | undefined, caller: Caller) => ErrorFormat);

export function formatFor(choice: FormatChoice, body: Buffer | undefined, { context }: LinkExchange): ErrorFormat {
  return typeof choice === "function" ? choice(body, Caller.decode(context)) : choice;
}

export interface AnswerTroubleOptions {
  readonly events: CapabilityEvents;
  readonly format: ErrorFormat;
  /** More headers, name and value by turns. */
  readonly headers: readonly string[];
}

/** Answers a request that came to nothing, if its client is still there. */
export function answerTrouble(exchange: LinkExchange, trouble: Trouble, options: AnswerTroubleOptions): void {
  const { error } = trouble;
  if (error.code === "internal_error") options.events.failed(trouble.requestId, error.cause ?? error);
  if (error.code === "unpriced_model") options.events.refusedUnpriced(trouble.requestId, error.cause ?? error);
  if (exchange.over) return;
  const body = options.format.errorBody(trouble);
  const headers = ["content-type", "application/json", "content-length", String(body.length)];
  headers.push("x-should-retry", String(error.retryable), ...options.headers, ...(error.headers ?? []));
  const waitMs = error.retryAfterMs ?? (error.httpStatus === 503 ? 1_000 : undefined);
  if (waitMs !== undefined)
    headers.push("retry-after", String(Math.ceil(waitMs / 1_000)), "retry-after-ms", String(waitMs));
  exchange.respond(options.format.errorStatus?.(trouble) ?? error.httpStatus, headers, body);
}
