import { GatewayError, toGatewayError } from "@uag/contract/errors/gateway-error.ts";
import { retryHeaders } from "@uag/contract/errors/retry-headers.ts";
import type { ErrorReport } from "@uag/contract/errors/shapes.ts";
import { LinkError } from "@uag/link/errors.ts";
import type { LinkExchange } from "@uag/link/server-exchange.ts";
import { AttemptsFailed } from "@uag/upstreams/attempt.ts";
import { failureToGatewayError, UpstreamFailure } from "@uag/upstreams/failure.ts";
import type { CapabilityEvents } from "./events.ts";

/** A failure as reported to the client: our own error, or the upstream's. */
export interface ClientError {
  readonly error: GatewayError;
  /** The underlying upstream failure, if any. */
  readonly failure: UpstreamFailure | undefined;
  readonly requestId: string;
}

/**
 * Maps anything thrown to the error reported to the client; anything unknown becomes
 * `internal_error`.
 */
export function clientErrorOf(thrown: unknown, requestId: string): ClientError {
  const failure = thrown instanceof AttemptsFailed ? thrown.failure : thrown;
  if (failure instanceof UpstreamFailure) return { error: failureToGatewayError(failure), failure, requestId };
  if (thrown instanceof LinkError && thrown.code === "too_large") {
    return { error: new GatewayError("payload_too_large"), failure: undefined, requestId };
  }
  return { error: toGatewayError(thrown), failure: undefined, requestId };
}

/**
 * The content of an error body: what an upstream reported about the request itself keeps its
 * wording and codes.
 */
export function reportOf({ error, failure, requestId }: ClientError): ErrorReport {
  return { error, requestId, reported: failure?.kind === "client" ? failure.reported : undefined };
}

/** How errors are rendered in a client's format. */
export interface ErrorFormat {
  errorBody(error: ClientError): Buffer;
  /** The status sent to the client; default: the error's own. */
  errorStatus?(error: ClientError): number;
}

/** How an error is sent to the client. */
export interface RespondErrorOptions {
  readonly events: CapabilityEvents;
  readonly format: ErrorFormat;
  /** Additional headers, alternating name and value. */
  readonly headers: readonly string[];
}

/** Responds with an error if the client is still connected. */
export function respondError(exchange: LinkExchange, clientError: ClientError, options: RespondErrorOptions): void {
  const { error } = clientError;
  if (error.code === "internal_error") options.events.failed(clientError.requestId, error.cause ?? error);
  if (error.code === "unpriced_model") options.events.refusedUnpriced(clientError.requestId, error.cause ?? error);
  if (exchange.over) return;
  const body = options.format.errorBody(clientError);
  const headers = ["content-type", "application/json", "content-length", String(body.length)];
  headers.push(...retryHeaders(error), ...options.headers, ...(error.headers ?? []));
  exchange.respond(options.format.errorStatus?.(clientError) ?? error.httpStatus, headers, body);
}
