import { ConfigError } from "@uag/kit/config.ts";
import { openFolder } from "@uag/kit/objects/folder.ts";
import { openS3 } from "@uag/kit/objects/s3.ts";
import type { ObjectStore } from "@uag/kit/objects/store.ts";
import type { MeteringConfig } from "../config.ts";

/**
 * The configured archive store; undefined: none. @throws {ConfigError} when the settings are
 * incomplete
 */
export function openObjects(config: MeteringConfig): ObjectStore | undefined {
  const { ARCHIVE_DIR: dir, ARCHIVE_S3_ENDPOINT: endpoint, ARCHIVE_S3_BUCKET: bucket } = config;
  if (endpoint === undefined) return dir === undefined ? undefined : openFolder(dir);
  const { ARCHIVE_S3_ACCESS_KEY_ID: accessKeyId, ARCHIVE_S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    throw new ConfigError(
      "The environment is not complete:\n  ARCHIVE_S3_BUCKET, ARCHIVE_S3_ACCESS_KEY_ID, ARCHIVE_S3_SECRET_ACCESS_KEY: are needed",
    );
  }
  const { ARCHIVE_S3_REGION: region, ARCHIVE_S3_PREFIX: prefix } = config;
  return openS3({ endpoint, bucket, region, prefix, accessKeyId, secretAccessKey });
}
