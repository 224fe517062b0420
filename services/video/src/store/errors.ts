import { GatewayError } from "@uag/contract/errors/gateway-error";
import { isDuplicate } from "@uag/mongo/errors";
import { mongo } from "mongoose";

/** Maps a database failure to what the caller sees. */
export function toStoreError(error: unknown): unknown {
  if (!(error instanceof mongo.MongoError) || isDuplicate(error)) return error;
  return new GatewayError("service_unavailable", undefined, { retryAfterMs: 1_000, cause: error });
}
