import { commonSettings } from "@uag/runtime/config";
import { previousSecrets } from "@uag/runtime/keyring";
import { z } from "zod";
import { ownDatabase, reconcileSettings } from "./reconcile/config.ts";

const secret = z.string().regex(/^([0-9a-fA-F]{2}){32,}$/, "must be at least 32 bytes in hex");
const milliseconds = (preset: number) => z.coerce.number().int().min(1_000).default(preset);
const hourMs = 3_600_000;

const { HOST, ADMIN_PORT, LOG_LEVEL } = commonSettings;

export const schema = z.object({
  HOST,
  ADMIN_PORT,
  LOG_LEVEL,
  MONGODB_URL: ownDatabase.MONGODB_URL,
  BILLING_DATABASE: z.string().min(1).default("billing").describe("Database of accounts, keys and the ledger."),
  MONGODB_DATABASE: ownDatabase.MONGODB_DATABASE,
  AUDIT_KEY: secret.describe("Secret that signs checkpoints, hex, at least 32 bytes. Do not share it."),
  AUDIT_KEY_PREVIOUS: previousSecrets(secret).describe(
    "Previous values of AUDIT_KEY, comma-separated: checkpoints signed with them stay valid.",
  ),
  AUDIT_EVERY_MS: milliseconds(hourMs).describe("How often the rows since the checkpoints are audited."),
  AUDIT_WHOLE_EVERY_MS: milliseconds(7 * 24 * hourMs).describe("How often everything is audited from the first row."),
  AUDIT_FIRST_MS: z.coerce
    .number()
    .int()
    .min(0)
    .default(60_000)
    .describe("Delay between startup and the first audit, if one is due by then."),
  ...reconcileSettings,
});

export type AuditorConfig = z.infer<typeof schema>;
