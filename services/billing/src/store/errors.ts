import { GatewayError } from "@uag/contract/errors/gateway-error.ts";
import { mongo } from "mongoose";

const retryAfterMs = 1_000;

/** Codes of a server that is there but cannot serve just now: stepping down, shutting down, not primary, out of time. */
const unavailableCodes = new Set([6, 7, 50, 89, 91, 112, 134, 189, 251, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** What the driver lets through unwrapped when it writes to a socket that is just closing. */
const socketCodes = new Set(["EPIPE", "ECONNRESET", "ECONNREFUSED", "ETIMEDOUT", "ERR_STREAM_DESTROYED"]);

/** True when no server answered at all. */
export function isStoreUnreachable(error: unknown): boolean {
  if (error instanceof mongo.MongoServerSelectionError || error instanceof mongo.MongoNetworkError) return true;
  const code = (error as Partial<NodeJS.ErrnoException> | undefined)?.code;
  return typeof code === "string" && socketCodes.has(code);
}

/** True for a failure of the database's availability, as opposed to one of ours. */
export function isStoreUnavailable(error: unknown): boolean {
  if (isStoreUnreachable(error)) return true;
  if (error instanceof mongo.MongoOperationTimeoutError || error instanceof mongo.MongoNotConnectedError) return true;
  if (!(error instanceof mongo.MongoError)) return false;
  if (error.name === "MongoWaitQueueTimeoutError" || error.name === "MongoPoolClearedError") return true;
  if (error.hasErrorLabel("TransientTransactionError") || error.hasErrorLabel("RetryableWriteError")) return true;
  return typeof error.code === "number" && unavailableCodes.has(error.code);
}

/** What a caller is told of a store failure: `service_unavailable` when the database is out of reach, else the error itself. */
export function toStoreError(error: unknown): unknown {
  if (!isStoreUnavailable(error)) return error;
  return new GatewayError("service_unavailable", "The books cannot be reached at the moment. Try again shortly.", {
    retryAfterMs,
    cause: error,
  });
}
