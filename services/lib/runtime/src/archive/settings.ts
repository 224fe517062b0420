import { z } from "zod";
import { ConfigError } from "../config.ts";
import { openFolder } from "../objects/folder.ts";
import { openS3 } from "../objects/s3.ts";
import type { ObjectStore } from "../objects/store.ts";

const text = z.string().min(1).optional();

/**
 * Settings of a service that archives months.
 * @param without what happens when no store is set
 */
export const archiveSettings = (prefix: string, without: string) => ({
  ARCHIVE_EVERY_MS: z.coerce
    .number()
    .int()
    .min(1_000)
    .default(21_600_000)
    .describe("How often due months are archived."),
  ARCHIVE_DIR: text.describe(`Folder of archived months. ${without}`),
  ARCHIVE_S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Keeps them in S3 instead: base URL of the server. No lifecycle rule may remove them."),
  ARCHIVE_S3_BUCKET: text.describe("Bucket, required with S3."),
  ARCHIVE_S3_REGION: z.string().min(1).default("us-east-1").describe("Region that calls are signed for."),
  ARCHIVE_S3_PREFIX: z.string().default(prefix).describe("Prefix of every key."),
  ARCHIVE_S3_ACCESS_KEY_ID: text.describe("Access key, required with S3."),
  ARCHIVE_S3_SECRET_ACCESS_KEY: text.describe("Its secret, required with S3."),
});

/** The values of {@link archiveSettings}. */
type ArchiveConfig = z.infer<z.ZodObject<ReturnType<typeof archiveSettings>>>;

/** The error of a command that requires a store. */
export const noArchiveStore = "No archive store is configured: set ARCHIVE_DIR or ARCHIVE_S3_ENDPOINT.";

/**
 * The configured archive store; undefined: none. @throws {ConfigError} when the settings are
 * incomplete
 */
export function openArchiveStore(config: ArchiveConfig): ObjectStore | undefined {
  const { ARCHIVE_DIR: dir, ARCHIVE_S3_ENDPOINT: endpoint, ARCHIVE_S3_BUCKET: bucket } = config;
  if (endpoint === undefined) return dir === undefined ? undefined : openFolder(dir);
  const { ARCHIVE_S3_ACCESS_KEY_ID: accessKeyId, ARCHIVE_S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    throw new ConfigError(
      "Invalid settings:\n  ARCHIVE_S3_BUCKET, ARCHIVE_S3_ACCESS_KEY_ID, ARCHIVE_S3_SECRET_ACCESS_KEY: are required",
    );
  }
  const { ARCHIVE_S3_REGION: region, ARCHIVE_S3_PREFIX: prefix } = config;
  return openS3({ endpoint, bucket, region, prefix, accessKeyId, secretAccessKey });
}
