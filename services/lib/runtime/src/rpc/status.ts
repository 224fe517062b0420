import { Metadata, type ServiceError, type StatusObject, status } from "@grpc/grpc-js";
import { GatewayError, toGatewayError } from "@uag/contract/errors/gateway-error";
import { errorTable, isErrorCode } from "@uag/contract/errors/table";

const codeKey = "x-error-code";
const paramKey = "x-error-param";
const retryAfterKey = "x-retry-after-ms";

/**
 * Converts a {@link GatewayError} to the status of a gRPC call: code, user-facing text, and the
 * rest in the trailing metadata.
 */
export function toStatus(error: unknown): StatusObject {
  const known = toGatewayError(error);
  const metadata = new Metadata();
  metadata.set(codeKey, known.code);
  if (known.param !== undefined) metadata.set(paramKey, known.param);
  if (known.retryAfterMs !== undefined) metadata.set(retryAfterKey, String(known.retryAfterMs));
  return { code: status[errorTable[known.code].grpc], details: known.message, metadata };
}

/**
 * The inverse of {@link toStatus}. A peer that is unreachable or does not respond in time is
 * `service_unavailable`.
 */
export function fromStatus(error: ServiceError): GatewayError {
  const code = error.metadata?.get(codeKey)[0];
  if (!isErrorCode(code)) {
    const unreachable = error.code === status.UNAVAILABLE || error.code === status.DEADLINE_EXCEEDED;
    return new GatewayError(unreachable ? "service_unavailable" : "internal_error", undefined, { cause: error });
  }
  const retryAfter = error.metadata.get(retryAfterKey)[0];
  return new GatewayError(code, error.details, {
    param: error.metadata.get(paramKey)[0]?.toString(),
    retryAfterMs: retryAfter === undefined ? undefined : Number(retryAfter),
    cause: error,
  });
}
