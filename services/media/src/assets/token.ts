import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const idBytes = 16;
const expiryBytes = 4;
const macBytes = 16;
const tokenChars = ((idBytes + expiryBytes + macBytes) * 4) / 3;
const tokenShape = new RegExp(`^[A-Za-z0-9_-]{${tokenChars}}$`);

/** Names of files that say themselves how long they are good, and that nobody else can make. */
export class AssetTokens {
  readonly #secret: Buffer;

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  /** A new file's id and the token that opens it until `expiresAtMs` (to the second). */
  issue(expiresAtMs: number): { id: string; token: string } {
    const signed = Buffer.alloc(idBytes + expiryBytes);
    randomBytes(idBytes).copy(signed);
    signed.writeUInt32BE(Math.floor(expiresAtMs / 1000), idBytes);
    const token = Buffer.concat([signed, this.#mac(signed)]).toString("base64url");
    return { id: signed.toString("hex", 0, idBytes), token };
  }

  /** Undefined for a token that is not ours. Whether it has run out is the caller's to judge. */
  open(token: string): { id: string; expiresAtMs: number } | undefined {
    if (!tokenShape.test(token)) return undefined;
    const bytes = Buffer.from(token, "base64url");
    const signed = bytes.subarray(0, idBytes + expiryBytes);
    if (!timingSafeEqual(this.#mac(signed), bytes.subarray(signed.length))) return undefined;
    return { id: signed.toString("hex", 0, idBytes), expiresAtMs: signed.readUInt32BE(idBytes) * 1000 };
  }

  #mac(signed: Buffer): Buffer {
    return createHmac("sha256", this.#secret).update(signed).digest().subarray(0, macBytes);
  }
}
