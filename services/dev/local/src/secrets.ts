import { createHmac, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writePrivateJson } from "./private-file.ts";

const secret = z.string().regex(/^[0-9a-f]{64}$/);
const rotated = z.object({ current: secret, previous: z.array(secret) });

const allSecrets = z.object({
  key_pepper: secret,
  webhook_key: rotated,
  assets_secret: rotated,
  answer_key: rotated,
  credential_key: rotated,
  receipt_key: rotated,
  totp_key: rotated,
  admin: z.object({ email: z.string(), password: z.string(), token: z.string() }),
  console_admin_token: z.string(),
  /**
   * The passwords of the fleet's own engines and the keys of usage batches and checkpoints are
   * derived from it.
   */
  engines: secret,
  api_key: z.object({ id: z.string(), secret: z.string() }).optional(),
});
/** Older data directories only have the pepper. */
const savedSecrets = allSecrets.partial({
  webhook_key: true,
  assets_secret: true,
  answer_key: true,
  credential_key: true,
  receipt_key: true,
  totp_key: true,
  engines: true,
  console_admin_token: true,
});

/**
 * Secrets that a fleet generates once and keeps, because the data directory's keys are invalid
 * without the pepper.
 */
export type Secrets = z.infer<typeof allSecrets>;

const newSecret = (): string => randomBytes(32).toString("hex");
const newToken = (): string => randomBytes(24).toString("base64url");

/**
 * Makes secrets independent that were formerly derived from the pepper. The old value still opens
 * what it sealed.
 */
function independent(pepper: string, use: string): { current: string; previous: string[] } {
  return { current: newSecret(), previous: [createHmac("sha256", pepper).update(use).digest("hex")] };
}

function newSecrets(): z.infer<typeof savedSecrets> {
  return {
    key_pepper: newSecret(),
    webhook_key: { current: newSecret(), previous: [] },
    assets_secret: { current: newSecret(), previous: [] },
    answer_key: { current: newSecret(), previous: [] },
    credential_key: { current: newSecret(), previous: [] },
    receipt_key: { current: newSecret(), previous: [] },
    totp_key: { current: newSecret(), previous: [] },
    admin: {
      email: "admin@localhost",
      password: randomBytes(12).toString("base64url"),
      token: newToken(),
    },
  };
}

const fileOf = (dataDir: string): string => join(dataDir, "secrets.json");

/** Reads the secrets of a data directory; generates them on its first start. */
export async function loadSecrets(dataDir: string): Promise<Secrets> {
  const text = await readFile(fileOf(dataDir), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  const saved = text === undefined ? newSecrets() : savedSecrets.parse(JSON.parse(text));
  const whole = allSecrets.safeParse(saved);
  if (text !== undefined && whole.success) return whole.data;
  const {
    webhook_key,
    assets_secret,
    answer_key,
    credential_key,
    receipt_key,
    totp_key,
    engines,
    console_admin_token,
  } = saved;
  const completed = {
    ...saved,
    webhook_key: webhook_key ?? independent(saved.key_pepper, "webhooks"),
    assets_secret: assets_secret ?? independent(saved.key_pepper, "assets"),
    engines: engines ?? newSecret(),
    console_admin_token: console_admin_token ?? newToken(),
    answer_key: answer_key ?? { current: newSecret(), previous: [] },
    credential_key: credential_key ?? { current: newSecret(), previous: [] },
    receipt_key: receipt_key ?? { current: newSecret(), previous: [] },
    totp_key: totp_key ?? { current: newSecret(), previous: [] },
  };
  await saveSecrets(dataDir, completed);
  return completed;
}

export async function saveSecrets(dataDir: string, secrets: Secrets): Promise<void> {
  await writePrivateJson(fileOf(dataDir), secrets);
}
