import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writePrivateJson } from "./private-file.ts";

const savedSecrets = z.object({
  key_pepper: z.string().regex(/^[0-9a-f]{64}$/),
  admin: z.object({ email: z.string(), password: z.string(), token: z.string() }),
  api_key: z.object({ id: z.string(), secret: z.string() }).optional(),
});

/** What a fleet makes up once and keeps: lose the pepper and no key of the data directory is valid any more. */
export type Secrets = z.infer<typeof savedSecrets>;

function newSecrets(): Secrets {
  return {
    key_pepper: randomBytes(32).toString("hex"),
    admin: {
      email: "admin@localhost",
      password: randomBytes(12).toString("base64url"),
      token: randomBytes(24).toString("base64url"),
    },
  };
}

const fileOf = (dataDir: string): string => join(dataDir, "secrets.json");

/** Reads the secrets of a data directory; makes them on its first start. */
export async function loadSecrets(dataDir: string): Promise<Secrets> {
  const text = await readFile(fileOf(dataDir), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text !== undefined) return savedSecrets.parse(JSON.parse(text));
  const secrets = newSecrets();
  await saveSecrets(dataDir, secrets);
  return secrets;
}

export async function saveSecrets(dataDir: string, secrets: Secrets): Promise<void> {
  await writePrivateJson(fileOf(dataDir), secrets);
}
