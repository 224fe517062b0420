import { GatewayError, toGatewayError } from "@uag/contract/errors/gateway-error";
import type { ErrorReport } from "@uag/contract/errors/shapes";
import { LinkError } from "@uag/link/errors";
import { AttemptsFailed } from "@uag/providers/attempt";
import { failureToGatewayError, UpstreamFailure } from "@uag/providers/failure";

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
