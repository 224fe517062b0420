import { capabilitySettings } from "@uag/pipeline/settings";
import { commaList, lingerSetting } from "@uag/runtime/config";
import { previousSecrets } from "@uag/runtime/keyring";
import { z } from "zod";

const secret = z.string().regex(/^([0-9a-fA-F]{2}){32,}$/, "must be at least 32 bytes in hex");

const port = z.coerce.number().int().min(0).max(65535).default(0);
const bytes = z.coerce.number().int().positive();
const hourMs = 3_600_000;

export const schema = z.object({
  ...capabilitySettings,
  MONGODB_URL: z
    .string()
    .min(1)
    .describe(
      "MongoDB replica set that stores files (unless S3 does), their metadata, and responses under an Idempotency-Key.",
    ),
  MONGODB_DATABASE: z.string().min(1).default("media").describe("Database of files."),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/(?<!\/)\/+$/, ""))
    .describe("The public server's base URL: the prefix of hosted files' URLs."),
  ...lingerSetting,
  ASSETS_PORT: port.describe("Port of the HTTP server of hosted files; 0 picks a free one."),
  ASSETS_GRPC_PORT: port.describe(
    "Port of the gRPC service that receives files from other services; 0 picks a free one.",
  ),
  ASSETS_SECRET: secret.describe("Secret that signs the URLs of hosted files, hex; the same for all replicas."),
  ASSETS_SECRET_PREVIOUS: previousSecrets(secret).describe(
    "Previous values of ASSETS_SECRET, comma-separated: URLs signed with them stay valid until they expire.",
  ),
  ASSETS_TTL_MS: z.coerce
    .number()
    .int()
    .min(1_000)
    .default(24 * hourMs)
    .describe("How long hosted files are kept."),
  ASSETS_SWEEP_MS: z.coerce.number().int().min(100).default(600_000).describe("How often expired files are removed."),
  ASSETS_MAX_BYTES: bytes.default(512 * 1024 * 1024).describe("Maximum size of a hosted file."),
  ASSETS_S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      "Stores files in S3 instead: base URL of the server. A lifecycle rule of the bucket must remove expired hosted files, those under ASSETS_S3_PREFIX.",
    ),
  ASSETS_S3_BUCKET: z.string().min(1).optional().describe("Bucket, required with S3."),
  ASSETS_S3_REGION: z.string().min(1).default("us-east-1").describe("Region that calls are signed for."),
  ASSETS_S3_PREFIX: z.string().default("assets/").describe("Prefix of hosted files' keys."),
  FILES_S3_PREFIX: z.string().default("files/").describe("Prefix of the keys of accounts' files (`/v1/files`)."),
  FILES_ACCOUNT_BYTES: bytes
    .default(10 * 1024 * 1024 * 1024)
    .describe("Maximum total size of an account's files, bytes."),
  FILES_ACCOUNT_COUNT: z.coerce
    .number()
    .int()
    .positive()
    .default(10_000)
    .describe("Maximum number of files per account."),
  CHAT_ADDR: commaList.describe("Chat, as `host:port`, comma-separated: runs the requests of batches."),
  EMBEDDING_ADDR: commaList.describe("Embedding, as `host:port`, comma-separated: runs the requests of batches."),
  BATCHES_AT_ONCE: z.coerce
    .number()
    .int()
    .min(0)
    .default(4)
    .describe("Batches that a replica runs at a time, each of another account; 0: it runs none."),
  BATCH_CONCURRENCY: z.coerce.number().int().positive().default(4).describe("Requests of one batch at a time."),
  BATCHES_ACCOUNT_COUNT: z.coerce.number().int().positive().default(100).describe("Unfinished batches per account."),
  ASSETS_S3_ACCESS_KEY_ID: z.string().min(1).optional().describe("Access key, required with S3."),
  ASSETS_S3_SECRET_ACCESS_KEY: z.string().min(1).optional().describe("Its secret, required with S3."),
});

export type MediaConfig = z.infer<typeof schema>;
