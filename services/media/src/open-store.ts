import { ConfigError } from "@uag/runtime/config";
import type { Logger } from "@uag/runtime/log";
import { openS3 } from "@uag/runtime/objects/s3";
import type { ObjectStore } from "@uag/runtime/objects/store";
import { openGridFs } from "./assets/gridfs.ts";
import type { MediaConfig } from "./config.ts";

/**
 * Opens the configured store.
 * @throws {ConfigError} when the settings are incomplete
 */
export async function openStore(config: MediaConfig, log: Logger): Promise<ObjectStore> {
  const { ASSETS_S3_ENDPOINT: endpoint, ASSETS_S3_BUCKET: bucket, MONGODB_URL: url } = config;
  if (endpoint === undefined) {
    if (url === undefined) throw new ConfigError("Invalid settings:\n  MONGODB_URL: is required");
    const { MONGODB_DATABASE: database, ASSETS_TTL_MS: ttlMs, ASSETS_SWEEP_MS: sweepIntervalMs } = config;
    return await openGridFs({ url, database, ttlMs, sweepIntervalMs, log });
  }
  const { ASSETS_S3_ACCESS_KEY_ID: accessKeyId, ASSETS_S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    throw new ConfigError(
      "Invalid settings:\n  ASSETS_S3_BUCKET, ASSETS_S3_ACCESS_KEY_ID, ASSETS_S3_SECRET_ACCESS_KEY: are required",
    );
  }
  const { ASSETS_S3_REGION: region, ASSETS_S3_PREFIX: prefix } = config;
  return openS3({ endpoint, bucket, region, prefix, accessKeyId, secretAccessKey });
}
