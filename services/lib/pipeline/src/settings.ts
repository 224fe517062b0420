import { commaList, commonSettings, natsSettings } from "@uag/runtime/config";
import { previousSecrets } from "@uag/runtime/keyring";
import { inferenceMetricsSettings, tracingSettings } from "@uag/runtime/tracing/settings";
import { bufferSettings } from "@uag/untrusted/memory-limit";
import { z } from "zod";

/** Read by `proxiesOf`, which also accepts the lower-case names. */
const proxy = z.string().optional();
const bytes = z.coerce.number().int().positive();

const sealingKey = z.string().regex(/^[0-9a-fA-F]{64}$/, "must be 32 bytes in hex");

/** Settings of every capability service; a service adds its own. */
export const capabilitySettings = {
  ...commonSettings,
  ...tracingSettings,
  ...inferenceMetricsSettings,
  GRPC_PORT: z.coerce.number().int().min(0).max(65535).default(0).describe("Port of the link; 0 picks a free one."),
  ...natsSettings,
  USAGE_MAC_KEY: z
    .string()
    .regex(/^([0-9a-fA-F]{2}){32,}$/, "must be at least 32 bytes in hex")
    .optional()
    .describe("Key that authenticates published usage to metering, hex, 32 bytes or more. Required unless TLS is off."),
  BILLING_ADDR: z.string().min(1).describe("Billing, as `host:port`."),
  METERING_ADDR: z.string().min(1).describe("Metering, as `host:port`."),
  JOURNAL_DIR: z
    .string()
    .min(1)
    .describe("Directory of the usage journal, on a volume of this machine; replicas on one machine may share it."),
  JOURNAL_SHARED_FS: z
    .enum(["refuse", "allow"])
    .default("refuse")
    .describe("`allow`: JOURNAL_DIR may be on a network file system, though no two machines may have it at a time."),
  JOURNAL_KEEP: z
    .enum(["on", "off"])
    .default("off")
    .describe(
      "`on`: a graceful stop leaves the delivered journal in JOURNAL_DIR, so that a restore of MongoDB recovers its usage; the next start publishes it again and deletes it.",
    ),
  CATALOG_FILE: z
    .string()
    .min(1)
    .default("infra/config/catalog.yaml")
    .describe("The model catalogue. The variables it refers to are read from this environment too."),
  SIMULATED_PROVIDERS: z
    .string()
    .optional()
    .describe(
      "Providers of the catalogue, comma-separated, whose address and key in this environment are those of the simulator, until an operator adds a credential.",
    ),
  EGRESS_ALLOW: commaList
    .default([])
    .describe(
      "Addresses exempt from the guard of calls to users' URLs and to base URLs set over the admin API, as `host:port`, comma-separated.",
    ),
  HTTPS_PROXY: proxy.describe(
    "Proxy for calls to upstreams over https, as a URL; a provider may have its own in the catalogue. `https_proxy` goes first.",
  ),
  HTTP_PROXY: proxy.describe("The same for http, and for https where that has none."),
  NO_PROXY: proxy.describe("Hosts that are called without a proxy, comma-separated; this machine always is."),
  MONGODB_URL: z
    .string()
    .min(1)
    .optional()
    .describe("MongoDB replica set that stores responses under an Idempotency-Key. Unset: the header has no effect."),
  ANSWER_KEY: sealingKey
    .optional()
    .describe(
      "Encrypts stored responses: 32 bytes in hex. Unset: responses are not stored, and a retry gets the receipt.",
    ),
  ANSWER_KEY_PREVIOUS: previousSecrets(sealingKey).describe(
    "Previous values of ANSWER_KEY, comma-separated, for responses encrypted under them.",
  ),
  ANSWER_TTL_MS: z.coerce
    .number()
    .int()
    .min(0)
    .default(24 * 3_600_000)
    .describe("Time that responses are stored under an Idempotency-Key, milliseconds; 0: not stored."),
  MAX_EXCHANGES: z.coerce
    .number()
    .int()
    .min(1)
    .default(10_000)
    .describe("Maximum concurrent requests; more are refused."),
  ...bufferSettings,
  BUFFER_ACCOUNT_BYTES: bytes
    .optional()
    .describe(
      "Share of it that one account may hold, at least the largest request body to be served; unset: a quarter, but at least 64 MiB.",
    ),
  DRAIN_MS: z.coerce
    .number()
    .int()
    .min(0)
    .default(20_000)
    .describe("How long a stopping process waits for requests in flight."),
} as const;

const schema = z.object(capabilitySettings);

/** The settings of every capability service, as `readConfig` returns them. */
export type CapabilitySettings = z.infer<typeof schema>;
