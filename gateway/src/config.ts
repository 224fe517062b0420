import { maxBodyBytesOfKind } from "@uag/contract/body-limits";
import { addressSetting, type ServiceName, serviceNames } from "@uag/contract/routes";
import { commaList, commonSettings, lingerSetting, natsSettings } from "@uag/runtime/config";
import { previousSecrets } from "@uag/runtime/keyring";
import { tracingSettings } from "@uag/runtime/tracing/settings";
import { z } from "zod";

const addresses = commaList.pipe(z.array(z.string()).min(1)).optional();
const url = z.url({ protocol: /^https?$/ }).optional();
const replicaUrls = commaList.pipe(z.array(z.url({ protocol: /^https?$/ })).min(1)).optional();
const pepper = z.string().regex(/^([0-9a-fA-F]{2}){16,}$/, "must be at least 16 bytes in hex");
const signingKey = z.string().regex(/^[0-9a-fA-F]{64}$/, "must be 32 bytes in hex");
const bytes = z.coerce.number().int().positive();
const bodyLimit = (max: number) => bytes.max(max).default(max);
const hops = z.coerce.number().int().min(0).max(16);
const milliseconds = z.coerce.number().int().positive();

const serviceAddresses = Object.fromEntries(
  serviceNames.map((name) => [
    addressSetting(name),
    addresses.describe(`Comma-separated gRPC addresses of the ${name} service.`),
  ]),
) as Record<`${Uppercase<ServiceName>}_ADDR`, typeof addresses>;

/** The router's settings. A route whose service has no address does not exist. */
export const schema = z.object({
  ...commonSettings,
  ...tracingSettings,
  ADMIN_HOST: z.string().optional().describe("Address of the operators' port; default: that of the public server."),
  ADMIN_PORT: commonSettings.ADMIN_PORT.describe(
    "Operators' port: the admin API, health, metrics; 0 picks a free one.",
  ),
  ADMIN_ON_PUBLIC_PORT: z
    .enum(["on", "off"])
    .default("off")
    .describe("Whether the public server also serves the admin API. Not for production."),
  TRUSTED_HOPS: hops
    .default(0)
    .describe("Number of trusted proxies whose `x-forwarded-for` sets the client address; 0 ignores the header."),
  ADMIN_TRUSTED_HOPS: hops
    .optional()
    .describe(
      "The same for the operators' port, where only the console is trusted, by its token; default: TRUSTED_HOPS.",
    ),
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .default(8080)
    .describe("Port of the public server; 0 picks a free one."),
  ...natsSettings,
  KEY_PEPPER: pepper.describe("Secret of the HMAC over API keys and admin tokens, in hex; the same as billing's."),
  KEY_PEPPER_PREVIOUS: previousSecrets(pepper).describe("Comma-separated previous peppers; the same as billing's."),
  RECEIPT_KEY: signingKey
    .optional()
    .describe("Ed25519 private key that signs receipts, 32 bytes in hex; without it they are not signed."),
  RECEIPT_KEY_PREVIOUS: previousSecrets(signingKey).describe(
    "Comma-separated previous keys, whose public keys stay published.",
  ),
  BILLING_ADDR: z.string().describe("gRPC address of billing."),
  METERING_ADDR: z.string().optional().describe("gRPC address of metering; without it usage queries are unavailable."),
  NOTIFICATIONS_ADDR: z
    .string()
    .optional()
    .describe("gRPC address of notifications; without it there are no webhook secrets, deliveries and alerts."),
  ...serviceAddresses,
  PUBLIC_URL: url.describe("Public base URL, shown in the snippets of new keys; default: `http://<HOST>:<PORT>`."),
  CONSOLE_URL: replicaUrls.describe("URLs of the console's replicas, which serve /console; comma-separated."),
  MCP_URL: replicaUrls.describe("URLs of mcp's replicas, which serve /mcp; comma-separated."),
  ASSETS_URL: replicaUrls.describe("URLs of media's replicas, which serve /assets; comma-separated."),
  JSON_BODY_LIMIT: bodyLimit(maxBodyBytesOfKind("json")).describe(
    "Maximum JSON request body, bytes; a route may allow less.",
  ),
  MULTIPART_BODY_LIMIT: bodyLimit(maxBodyBytesOfKind("multipart")).describe(
    "Maximum multipart request body, bytes; a route may allow less.",
  ),
  UPLOAD_BODY_LIMIT: bodyLimit(maxBodyBytesOfKind("upload")).describe(
    "Maximum request body with a file for `/v1/files`, bytes.",
  ),
  HEADER_LIMIT: bytes.default(16 * 1024).describe("Maximum size of the request headers, bytes."),
  CONNECTION_MAX_AGE_MS: milliseconds
    .default(20_000)
    .describe(
      "Age (±20%) at which a client's connection closes after its next response, so that clients find new replicas.",
    ),
  REQUEST_DEADLINE_MS: milliseconds.default(900_000).describe("Maximum duration of a request."),
  UPLOAD_IDLE_MS: milliseconds
    .default(30_000)
    .describe("Time that a request body may stay below UPLOAD_MIN_RATE on average before the request is aborted."),
  UPLOAD_MIN_RATE: bytes.default(16 * 1024).describe("Minimum rate of a request body, bytes per second."),
  MAX_OPEN_PER_KEY: z.coerce
    .number()
    .int()
    .positive()
    .default(1_000)
    .describe("Maximum open requests per key, from the headers to the end of the response; further ones get 429."),
  KEY_CACHE_MS: milliseconds.default(60_000).describe("Time that a key is cached before it is looked up again."),
  KEY_CACHE_SIZE: z.coerce.number().int().positive().default(100_000).describe("Maximum API keys in the cache."),
  FREE_REQUESTS_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(60)
    .default(600)
    .describe("Free requests per key and minute: lists, token counts, task status. A large body counts as several."),
  FREE_CONCURRENCY: z.coerce
    .number()
    .int()
    .positive()
    .default(16)
    .describe("Concurrent free requests per key; further ones wait up to two seconds."),
  ...lingerSetting,
  DRAIN_MS: milliseconds.default(25_000).describe("Time that responses in progress may continue after SIGTERM."),
  ACCESS_LOG: z.enum(["off", "errors", "all"]).default("errors").describe("Which requests are logged."),
});

export type Config = z.infer<typeof schema>;
