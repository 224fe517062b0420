import { archiveSettings } from "@uag/runtime/archive/settings";
import { commaList, commonSettings, natsSettings } from "@uag/runtime/config";
import { previousSecrets } from "@uag/runtime/keyring";
import { tracingSettings } from "@uag/runtime/tracing/settings";
import { z } from "zod";

const pepper = z.string().regex(/^([0-9a-fA-F]{2}){32,}$/, "must be at least 32 bytes in hex");

const credentialKey = z.string().regex(/^[0-9a-fA-F]{64}$/, "must be 32 bytes in hex");

const milliseconds = (min: number, preset: number) => z.coerce.number().int().min(min).default(preset);
const adminToken = z.string().regex(/^[\x21-\x7e]{24,200}$/, "must be 24 to 200 visible characters");

export const schema = z.object({
  ...commonSettings,
  GRPC_PORT: z.coerce.number().int().min(0).max(65535).default(0).describe("Port of gRPC; 0 picks a free one."),
  MONGODB_URL: z.string().min(1).describe("MongoDB replica set, as `mongodb://host:port/?replicaSet=name`."),
  MONGODB_DATABASE: z.string().min(1).default("billing").describe("Database of accounts, keys and the ledger."),
  ...natsSettings,
  ...tracingSettings,
  KEY_PEPPER: pepper.describe("Secret under which API keys and admin tokens are digested, hex, 32 bytes or more."),
  KEY_PEPPER_PREVIOUS: previousSecrets(pepper).describe(
    "Previous values of KEY_PEPPER, comma-separated: keys and tokens digested under them stay valid while they are listed.",
  ),
  ADMIN_TOKEN: adminToken
    .optional()
    .describe(
      "First token of the admin API, which creates the others. A new value replaces it; an unset one revokes it.",
    ),
  ADMIN_TOKEN_PREVIOUS: adminToken.optional().describe("A second valid token during a rotation of ADMIN_TOKEN."),
  CONSOLE_ADMIN_TOKEN: adminToken
    .optional()
    .describe("Token with which the console creates its users' tokens; the same value as in the console."),
  CONSOLE_ADMIN_TOKEN_PREVIOUS: adminToken.optional().describe("A second valid token during its rotation."),
  CREDENTIAL_KEY: credentialKey
    .optional()
    .describe(
      "Key under which the providers' credentials are encrypted, 32 bytes in hex. Losing it makes every credential useless. Unset: none can be stored.",
    ),
  CREDENTIAL_KEY_PREVIOUS: previousSecrets(credentialKey).describe(
    "Previous values of CREDENTIAL_KEY, comma-separated. Credentials encrypted under them are encrypted again at startup.",
  ),
  EGRESS_ALLOW: commaList
    .default([])
    .describe(
      "Addresses that a provider's base URL may have although they are not public, as `host:port`, comma-separated.",
    ),
  CATALOG_FILE: z.string().optional().describe("Catalogue whose prices are used to repair unpriced requests."),
  HOLDER_LEASE_MS: milliseconds(100, 15_000).describe("How long a holder may admit requests after a heartbeat."),
  ORPHAN_GRACE_MS: milliseconds(0, 900_000).describe(
    "How long a dead holder's grants are kept for its last requests to be settled. Must exceed the longest request.",
  ),
  REAP_INTERVAL_MS: milliseconds(10, 5_000).describe("How often dead holders and overdue grants are searched for."),
  RECALL_WAIT_MS: milliseconds(0, 300).describe(
    "How long a request for money waits for other holders to return theirs.",
  ),
  SETTLE_FROM_GRANTS: z
    .enum(["on", "off"])
    .default("on")
    .describe(
      "`off` while replicas from before infra/decisions/0007-scale.md run: they would lose charges made to grants only.",
    ),
  WRITE_OFF_LIMIT_NANO_USD: z.coerce
    .number()
    .int()
    .min(0)
    .default(1_000_000_000)
    .describe(
      "Maximum write-off of an account, nano-USD; above it no request is admitted until a top-up has repaid it.",
    ),
  URL_FETCHES_PER_HOUR: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000_000)
    .default(10_000)
    .describe("Maximum URLs in requests that one account may have fetched per hour, over all services; more get 429."),
  GRANT_KEEP_MS: milliseconds(86_400_000, 1_209_600_000).describe(
    "How long ended grants and gone holders are kept for repeated calls. Must exceed the longest delivery of a bill.",
  ),
  ENVELOPE_KEEP_DAYS: z.coerce
    .number()
    .int()
    .min(31)
    .default(430)
    .describe(
      "How long envelopes are kept after their expiry: at least as long as the usage of their keys, by metering's USAGE_KEEP_MONTHS.",
    ),
  PRUNE_INTERVAL_MS: milliseconds(1_000, 3_600_000).describe(
    "How often ended grants, holders and envelopes are deleted.",
  ),
  AUDIT_DATABASE: z
    .string()
    .min(1)
    .default("audit")
    .describe("Database of the auditor's results: only data covered by an exact audit is deleted."),
  ...archiveSettings("ledger/", "If neither this nor S3 is set, the ledger is not archived."),
  GRANT_SHARE: z.coerce
    .number()
    .int()
    .min(1)
    .default(4)
    .describe("A grant takes at most this fraction (1/n) of the available balance, unless one request needs more."),
});
