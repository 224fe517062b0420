import { GatewayError } from "@uag/contract/errors/gateway-error";
import { isUnavailable } from "@uag/mongo/errors";

const retryAfterMs = 1_000;

/**
 * Maps a store failure to what the caller sees: `service_unavailable` when the database is
 * unreachable, else the error itself.
 */
export function toStoreError(error: unknown): unknown {
  if (!isUnavailable(error)) return error;
  return new GatewayError("service_unavailable", "The ledger is temporarily unavailable. Retry shortly.", {
    retryAfterMs,
    cause: error,
  });
}
