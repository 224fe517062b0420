import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { isUnavailable } from "@uag/mongo/errors.ts";

const retryAfterMs = 1_000;

/**
 * What a caller is told of a store failure: `service_unavailable` when the database is out of
 * reach, else the error itself.
 */
export function toStoreError(error: unknown): unknown {
  if (!isUnavailable(error)) return error;
  return new GatewayError("service_unavailable", "The books cannot be reached at the moment. Try again shortly.", {
    retryAfterMs,
    cause: error,
  });
}
