import { GatewayError } from "@uag/contract/errors/gateway-error";
import { mongo } from "mongoose";
import { isDuplicate } from "./errors.ts";

/** Maps a database failure to what the caller sees. */
export function toStoreError(error: unknown): unknown {
  if (!(error instanceof mongo.MongoError) || isDuplicate(error)) return error;
  return new GatewayError("service_unavailable", undefined, { retryAfterMs: 1_000, cause: error });
}
