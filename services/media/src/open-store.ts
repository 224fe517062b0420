import { ConfigError } from "@uag/runtime/config";
import type { Logger } from "@uag/runtime/log";
import { openS3 } from "@uag/runtime/objects/s3";
import type { ObjectStore } from "@uag/runtime/objects/store";
import { openGridFs, type SweepOptions } from "./assets/gridfs.ts";
import type { MediaConfig } from "./config.ts";

/**
 * Opens the configured store of hosted files.
 * @throws {ConfigError} when the settings are incomplete
 */
export function openAssetStore(config: MediaConfig, log: Logger): Promise<ObjectStore> {
  const { ASSETS_S3_PREFIX: prefix, ASSETS_TTL_MS: ttlMs, ASSETS_SWEEP_MS: everyMs } = config;
  return openStore(config, { bucket: "assets", prefix, sweep: { ttlMs, everyMs, log } });
}

/**
 * Opens the configured store of accounts' files, which media removes one by one.
 * @throws {ConfigError} when the settings are incomplete
 */
export function openFileStore(config: MediaConfig): Promise<ObjectStore> {
  return openStore(config, { bucket: "file_objects", prefix: config.FILES_S3_PREFIX });
}

interface Place {
  /** In GridFS. */
  readonly bucket: string;
  /** In S3. */
  readonly prefix: string;
  readonly sweep?: SweepOptions;
}

async function openStore(config: MediaConfig, { bucket: name, prefix, sweep }: Place): Promise<ObjectStore> {
  const { ASSETS_S3_ENDPOINT: endpoint, ASSETS_S3_BUCKET: bucket, ASSETS_S3_REGION: region } = config;
  if (endpoint === undefined) {
    const { MONGODB_URL: url, MONGODB_DATABASE: database } = config;
    return await openGridFs({ url, database, bucket: name, ...(sweep && { sweep }) });
  }
  const { ASSETS_S3_ACCESS_KEY_ID: accessKeyId, ASSETS_S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    throw new ConfigError(
      "Invalid settings:\n  ASSETS_S3_BUCKET, ASSETS_S3_ACCESS_KEY_ID, ASSETS_S3_SECRET_ACCESS_KEY: are required",
    );
  }
  return openS3({ endpoint, bucket, region, prefix, accessKeyId, secretAccessKey });
}
