import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Keyring, NamedSecret } from "@uag/runtime/keyring";

/** Bytes of the secret's id: enough to distinguish a few secrets, and base64 without padding. */
const keyBytes = 3;
const idBytes = 16;
const expiryBytes = 4;
const macBytes = 16;
const fileBytes = idBytes + expiryBytes + macBytes;
/** With the secret's id first, as tokens are issued now, and without it, as they used to be. */
const lengths = [keyBytes + fileBytes, fileBytes].map((bytes) => (bytes * 4) / 3);
const tokenShape = new RegExp(`^(?:${lengths.map((length) => `[A-Za-z0-9_-]{${length}}`).join("|")})$`);

const keyOf = ({ id }: NamedSecret): Buffer => Buffer.from(id, "hex").subarray(0, keyBytes);

/** File names that carry their own expiry and cannot be forged. */
export class AssetTokens {
  readonly #secrets: Keyring;

  constructor(secrets: Keyring) {
    this.#secrets = secrets;
  }

  /** Issues a new file's id and the token that opens it until `expiresAtMs` (to the second). */
  issue(expiresAtMs: number): { id: string; token: string } {
    const signed = Buffer.alloc(idBytes + expiryBytes);
    randomBytes(idBytes).copy(signed);
    signed.writeUInt32BE(Math.floor(expiresAtMs / 1000), idBytes);
    const { current } = this.#secrets;
    const token = Buffer.concat([keyOf(current), signed, mac(signed, current)]).toString("base64url");
    return { id: signed.toString("hex", 0, idBytes), token };
  }

  /** Undefined for a token that is not ours. The caller checks the expiry. */
  open(token: string): { id: string; expiresAtMs: number } | undefined {
    if (!tokenShape.test(token)) return undefined;
    const bytes = Buffer.from(token, "base64url");
    const key = bytes.subarray(0, bytes.length - fileBytes);
    const file = bytes.subarray(key.length);
    const signed = file.subarray(0, idBytes + expiryBytes);
    const candidates = this.#secrets.all.filter((secret) => key.length === 0 || keyOf(secret).equals(key));
    if (!candidates.some((secret) => timingSafeEqual(mac(signed, secret), file.subarray(signed.length))))
      return undefined;
    return { id: signed.toString("hex", 0, idBytes), expiresAtMs: signed.readUInt32BE(idBytes) * 1000 };
  }
}

function mac(signed: Buffer, { secret }: NamedSecret): Buffer {
  return createHmac("sha256", secret).update(signed).digest().subarray(0, macBytes);
}
