import { addressSetting, maxBodyBytesOfKind, type ServiceName, serviceNames } from "@uag/contract/routes.ts";
import { commaList, commonSettings, lingerSetting, natsSettings } from "@uag/kit/config.ts";
import { previousSecrets } from "@uag/kit/keyring.ts";
import { tracingSettings } from "@uag/kit/tracing/settings.ts";
import { z } from "zod";

const addresses = commaList.pipe(z.array(z.string()).min(1)).optional();
const url = z.url({ protocol: /^https?$/ }).optional();
const replicaUrls = commaList.pipe(z.array(z.url({ protocol: /^https?$/ })).min(1)).optional();
const pepper = z.string().regex(/^([0-9a-fA-F]{2}){16,}$/, "must be at least 16 bytes in hex");
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
  ADMIN_HOST: z.string().optional().describe("Address of the operators' port; that of the public server when unset."),
  ADMIN_PORT: commonSettings.ADMIN_PORT.describe(
    "Operators' port: the admin API, health, metrics; 0 picks a free one.",
  ),
  ADMIN_ON_PUBLIC_PORT: z
    .enum(["on", "off"])
    .default("off")
    .describe("Whether the public server serves the admin API too. Not in production."),
  TRUSTED_HOPS: hops
    .default(0)
    .describe(
      "Proxies in front whose `x-forwarded-for` tells a client's address; with 0 the header counts for nothing.",
    ),
  ADMIN_TRUSTED_HOPS: hops
    .optional()
    .describe(
      "The same on the operators' port, where only the console is believed, by its token; TRUSTED_HOPS when unset.",
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
  KEY_PEPPER_PREVIOUS: previousSecrets(pepper).describe("Comma-separated peppers that it replaced; billing's."),
  BILLING_ADDR: z.string().describe("gRPC address of billing."),
  METERING_ADDR: z.string().optional().describe("gRPC address of metering; without it usage queries do not exist."),
  ...serviceAddresses,
  PUBLIC_URL: url.describe(
    "Where clients reach the public server; `http://<HOST>:<PORT>` when unset. The snippets of new keys name it.",
  ),
  CONSOLE_URL: replicaUrls.describe("Where /console is served; comma-separated for several replicas."),
  MCP_URL: replicaUrls.describe("Where /mcp is served; likewise."),
  ASSETS_URL: replicaUrls.describe("Where /assets is served; likewise."),
  JSON_BODY_LIMIT: bodyLimit(maxBodyBytesOfKind("json")).describe(
    "Largest JSON request body, bytes; a route may take less.",
  ),
  MULTIPART_BODY_LIMIT: bodyLimit(maxBodyBytesOfKind("multipart")).describe(
    "Largest multipart request body, bytes; likewise.",
  ),
  HEADER_LIMIT: bytes.default(16 * 1024).describe("Largest request head, bytes."),
  CONNECTION_MAX_AGE_MS: milliseconds
    .default(20_000)
    .describe(
      "Age of a client's connection, give or take a fifth, from which the next answer ends it: clients find new replicas.",
    ),
  REQUEST_DEADLINE_MS: milliseconds.default(900_000).describe("Longest that one request may take."),
  UPLOAD_IDLE_MS: milliseconds
    .default(30_000)
    .describe("How long a request body may be slower than UPLOAD_MIN_RATE on average before the request is given up."),
  UPLOAD_MIN_RATE: bytes.default(16 * 1024).describe("Least rate of a request body, bytes a second."),
  MAX_OPEN_PER_KEY: z.coerce
    .number()
    .int()
    .positive()
    .default(1_000)
    .describe("Most requests of one key open at once, from the head to the end of the answer; more get a 429."),
  KEY_CACHE_MS: milliseconds.default(60_000).describe("How long a resolved key is used before billing is asked again."),
  KEY_CACHE_SIZE: z.coerce.number().int().positive().default(100_000).describe("Most API keys kept in memory."),
  FREE_REQUESTS_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(60)
    .default(600)
    .describe("Free requests per key and minute: lists, token counts, task states. A large body counts as several."),
  FREE_CONCURRENCY: z.coerce
    .number()
    .int()
    .positive()
    .default(16)
    .describe("Free requests per key at the same time; more wait up to two seconds for a slot."),
  ...lingerSetting,
  DRAIN_MS: milliseconds.default(25_000).describe("How long answers under way may go on after SIGTERM."),
  ACCESS_LOG: z.enum(["off", "errors", "all"]).default("errors").describe("Which requests leave a line in the log."),
});

export type Config = z.infer<typeof schema>;
