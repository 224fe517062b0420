import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Keyring } from "@uag/runtime/keyring";

const idBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts stored responses: AES-256-GCM, each piece bound to its place. A piece starts with the id
 * of its key.
 */
export class ResponseBox {
  readonly #keys: Keyring;

  /** @param keys of 32 bytes each */
  constructor(keys: Keyring) {
    this.#keys = keys;
  }

  seal(piece: Buffer, place: string): Buffer {
    const { id, secret } = this.#keys.current;
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv("aes-256-gcm", secret, nonce).setAAD(Buffer.from(place));
    return Buffer.concat([Buffer.from(id, "hex"), nonce, cipher.update(piece), cipher.final(), cipher.getAuthTag()]);
  }

  /**
   * @throws when the piece was sealed under a key that is no longer configured, or for another
   * place
   */
  open(sealed: Buffer, place: string): Buffer {
    const id = sealed.toString("hex", 0, idBytes);
    const key = this.#keys.all.find((one) => one.id === id);
    if (key === undefined)
      throw new Error(`a stored response was encrypted under the key ${id}, which is not configured`);
    const nonce = sealed.subarray(idBytes, idBytes + nonceBytes);
    const decipher = createDecipheriv("aes-256-gcm", key.secret, nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(-tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(idBytes + nonceBytes, -tagBytes)), decipher.final()]);
  }
}
