import { archiveSettings } from "@uag/runtime/archive/settings";
import { commonSettings, natsSettings } from "@uag/runtime/config";
import { previousSecrets } from "@uag/runtime/keyring";
import { tracingSettings } from "@uag/runtime/tracing/settings";
import { z } from "zod";

const pepper = z.string().regex(/^([0-9a-fA-F]{2}){32,}$/, "must be at least 32 bytes in hex");

const milliseconds = (min: number, preset: number) => z.coerce.number().int().min(min).default(preset);
const adminToken = z.string().regex(/^[\x21-\x7e]{24,200}$/, "must be 24 to 200 visible characters");

export const schema = z.object({
  ...commonSettings,
  GRPC_PORT: z.coerce.number().int().min(0).max(65535).default(0).describe("Port of gRPC; 0 picks a free one."),
  MONGODB_URL: z.string().min(1).describe("MongoDB replica set, as `mongodb://host:port/?replicaSet=name`."),
  MONGODB_DATABASE: z.string().min(1).default("billing").describe("Database that holds the books."),
  ...natsSettings,
  ...tracingSettings,
  KEY_PEPPER: pepper.describe("Secret under which API keys and admin tokens are digested, hex, 32 bytes or more."),
  KEY_PEPPER_PREVIOUS: previousSecrets(pepper).describe(
    "Comma-separated peppers that it replaced: what was digested under them is valid as long as they are here.",
  ),
  ADMIN_TOKEN: adminToken
    .optional()
    .describe("First token of the admin API, to make others with. Another value replaces it; without one it ends."),
  ADMIN_TOKEN_PREVIOUS: adminToken
    .optional()
    .describe("Another one that is valid too, while one takes the other's place."),
  CONSOLE_ADMIN_TOKEN: adminToken
    .optional()
    .describe("Token with which the console makes those of its users; the same as there."),
  CONSOLE_ADMIN_TOKEN_PREVIOUS: adminToken.optional().describe("Likewise another one, while it changes."),
  CATALOG_FILE: z.string().optional().describe("Catalogue whose prices repair unpriced requests."),
  HOLDER_LEASE_MS: milliseconds(100, 15_000).describe("How long a holder may admit after a heartbeat."),
  ORPHAN_GRACE_MS: milliseconds(0, 900_000).describe(
    "How long the grants of a dead holder wait for its last requests to be settled. Longer than the longest request.",
  ),
  REAP_INTERVAL_MS: milliseconds(10, 5_000).describe("How often dead holders and overdue grants are looked for."),
  RECALL_WAIT_MS: milliseconds(0, 300).describe("How long a request waits for money to come back from other holders."),
  SETTLE_FROM_GRANTS: z
    .enum(["on", "off"])
    .default("on")
    .describe(
      "`off` while replicas of before infra/decisions/0007-scale.md still run: they would lose what is charged to grants alone.",
    ),
  WRITE_OFF_LIMIT_NANO_USD: z.coerce
    .number()
    .int()
    .min(0)
    .default(1_000_000_000)
    .describe("An account for which more than this is written off admits nothing until a top-up has repaid it."),
  GRANT_KEEP_MS: milliseconds(86_400_000, 1_209_600_000).describe(
    "How long ended grants and gone holders stay, for calls that are repeated. Longer than any bill is on its way.",
  ),
  PRUNE_INTERVAL_MS: milliseconds(1_000, 3_600_000).describe("How often older ones are deleted."),
  AUDIT_DATABASE: z
    .string()
    .min(1)
    .default("audit")
    .describe("Database of the auditor's verdicts: nothing is deleted that no exact audit has seen."),
  ...archiveSettings("ledger/", "Without a place for them the ledger is not archived."),
  GRANT_SHARE: z.coerce
    .number()
    .int()
    .min(1)
    .default(4)
    .describe("One grant takes at most one part in this many of what is available, unless one request needs more."),
});
