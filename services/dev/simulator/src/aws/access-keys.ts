import { randomBytes } from "node:crypto";

/** An access key as AWS's console shows it once; temporary ones have a session token. */
export interface AccessKey {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token?: string;
}

const keys = new Map<string, AccessKey>();
const expired = new Set<string>();
const lifeMs = 3_600_000;

/** Creates an access key: of a user, or temporary. */
export function createAccessKey(isTemporary: boolean): AccessKey {
  const id = randomBytes(8).toString("hex").toUpperCase();
  const key = {
    access_key_id: `${isTemporary ? "ASIA" : "AKIA"}${id}`,
    secret_access_key: randomBytes(30).toString("base64"),
    ...(isTemporary && { session_token: randomBytes(300).toString("base64") }),
  };
  keys.set(key.access_key_id, key);
  return key;
}

/** A temporary key of a role, and when it expires. */
export function createRoleKey(): { readonly key: Required<AccessKey>; readonly expiration: string } {
  const key = createAccessKey(true) as Required<AccessKey>;
  return { key, expiration: new Date(Date.now() + lifeMs).toISOString().replace(/\.\d+/, "") };
}

/** Lets all temporary keys expire. */
export function expireTemporaryKeys(): void {
  for (const { access_key_id: id, session_token: token } of keys.values()) if (token !== undefined) expired.add(id);
}

export const accessKeyOf = (id: string): AccessKey | undefined => keys.get(id);
export const isExpired = (id: string): boolean => expired.has(id);
