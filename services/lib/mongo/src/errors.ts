import { mongo } from "mongoose";

/**
 * Server error code of a write that violates a unique index.
 * https://www.mongodb.com/docs/manual/reference/error-codes/
 */
const duplicateKey = 11_000;
const writeConflict = 112;

/**
 * Codes of a server that is reachable but cannot serve right now: stepping down, shutting down, not
 * primary, timed out.
 */
const unavailableCodes: ReadonlySet<number> = new Set([
  6,
  7,
  50,
  89,
  91,
  writeConflict,
  134,
  189,
  251,
  262,
  9001,
  10107,
  11600,
  11602,
  13435,
  13436,
]);

const unavailableNames = new Set([
  "MongoOperationTimeoutError",
  "MongoNotConnectedError",
  "MongoWaitQueueTimeoutError",
  "MongoPoolClearedError",
  "MongoTopologyClosedError",
]);

/** Errors that the driver passes through unwrapped when it writes to a closing socket. */
const socketCodes = new Set(["EPIPE", "ECONNRESET", "ECONNREFUSED", "ETIMEDOUT", "ERR_STREAM_DESTROYED"]);

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined;

/** True for a write that violated a unique index. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof mongo.MongoError && error.code === duplicateKey;
}

/** True when a transaction lost to a concurrent change. */
export function isContended(error: unknown): boolean {
  return isDuplicate(error) || (error instanceof mongo.MongoError && error.code === writeConflict);
}

/** True when no server responded at all. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof mongo.MongoServerSelectionError || error instanceof mongo.MongoNetworkError) return true;
  const code = codeOf(error);
  return typeof code === "string" && socketCodes.has(code);
}

/**
 * True when the database was unavailable, as opposed to a fault of ours: the same call may succeed
 * later.
 */
export function isUnavailable(error: unknown): boolean {
  if (isUnreachable(error)) return true;
  if (!(error instanceof mongo.MongoError)) return false;
  if (unavailableNames.has(error.name)) return true;
  if (error.hasErrorLabel("TransientTransactionError") || error.hasErrorLabel("RetryableWriteError")) return true;
  return typeof error.code === "number" && unavailableCodes.has(error.code);
}
