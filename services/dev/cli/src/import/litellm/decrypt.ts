import { createDecipheriv, createHash, hkdfSync } from "node:crypto";
import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";

const keyBytes = 32;
const gcmNonceBytes = 12;
const salsaNonceBytes = 24;
const tagBytes = 16;
const info = "litellm-at-rest-v3";

const hashed = (saltKey: string): Uint8Array => createHash("sha256").update(saltKey).digest();

/** How the keys of AES-256-GCM are derived, by the version before the value. */
const derivations: Readonly<Record<string, (saltKey: string) => Uint8Array>> = {
  v3: (saltKey) => new Uint8Array(hkdfSync("sha256", saltKey, "", info, keyBytes)),
  v2: hashed,
};

function gcm(bytes: Buffer, key: Uint8Array): string {
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, gcmNonceBytes));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  return `${decipher.update(bytes.subarray(gcmNonceBytes, -tagBytes), undefined, "utf8")}${decipher.final("utf8")}`;
}

function secretBox(bytes: Buffer, key: Uint8Array): string {
  const nonce = new Uint8Array(bytes.subarray(0, salsaNonceBytes));
  return Buffer.from(xsalsa20poly1305(key, nonce).decrypt(new Uint8Array(bytes.subarray(salsaNonceBytes)))).toString();
}

/**
 * A value of LiteLLM's database: AES-256-GCM with a version before it, or NaCl's secret box in
 * older versions (`litellm/proxy/common_utils/encrypt_decrypt_utils.py`). Undefined when it is not
 * encrypted with this salt key.
 */
export function decrypted(value: string, saltKey: string): string | undefined {
  const [version = "", algorithm, text] = value.split(":");
  const derive = algorithm === "gcm" && Object.hasOwn(derivations, version) ? derivations[version] : undefined;
  const bytes = Buffer.from(derive === undefined ? value : (text ?? ""), "base64url");
  if (bytes.length < (derive === undefined ? salsaNonceBytes : gcmNonceBytes) + tagBytes) return undefined;
  try {
    return derive === undefined ? secretBox(bytes, hashed(saltKey)) : gcm(bytes, derive(saltKey));
  } catch {
    // The tag is that of another key.
    return undefined;
  }
}
