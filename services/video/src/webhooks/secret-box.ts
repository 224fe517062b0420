import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts small secrets at rest: AES-256-GCM, bound to the account they belong to. */
export class SecretBox {
  readonly #key: Buffer;

  /** @param key 32 bytes in hex */
  constructor(key: string) {
    this.#key = Buffer.from(key, "hex");
  }

  seal(secret: string, accountId: string): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce).setAAD(Buffer.from(accountId));
    return Buffer.concat([nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
  }

  /** @throws when the box was sealed under another key or for another account */
  open(box: Buffer, accountId: string): string {
    const nonce = box.subarray(0, nonceBytes);
    const tag = box.subarray(box.length - tagBytes);
    const decipher = createDecipheriv("aes-256-gcm", this.#key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(accountId)).setAuthTag(tag);
    return decipher.update(box.subarray(nonceBytes, -tagBytes), undefined, "utf8") + decipher.final("utf8");
  }
}
