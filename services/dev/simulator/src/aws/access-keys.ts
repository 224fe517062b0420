import { randomBytes } from "node:crypto";

/** An access key as AWS's console shows it once; temporary ones have a session token. */
export interface AccessKey {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token?: string;
}

const keys = new Map<string, AccessKey>();

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

export const accessKeyOf = (id: string): AccessKey | undefined => keys.get(id);
