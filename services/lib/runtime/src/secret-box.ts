import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Keyring, NamedSecret } from "./keyring.ts";

const nonceBytes = 12;
const tagBytes = 16;

/** A secret as it is stored. */
export interface Sealed {
  readonly box: Buffer;
  /** Id of the key it is sealed with; absent in older boxes. */
  readonly keyId?: string;
}

/** Encrypts small secrets at rest: AES-256-GCM, bound to the owner they belong to. */
export class SecretBox {
  readonly #keys: Keyring;

  /** @param keys of 32 bytes each */
  constructor(keys: Keyring) {
    this.#keys = keys;
  }

  /** Of the key that seals. */
  get keyId(): string {
    return this.#keys.current.id;
  }

  seal(secret: string, owner: string): Sealed {
    const { id, secret: key } = this.#keys.current;
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(owner));
    const box = Buffer.concat([nonce, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return { box, keyId: id };
  }

  /** True when it should be sealed again, because its key is being replaced. */
  isStale({ keyId }: Sealed): boolean {
    return keyId !== this.keyId;
  }

  /** @throws when the box was sealed with another key or for another owner */
  open({ box, keyId }: Sealed, owner: string): string {
    const candidates = this.#keys.all.filter(({ id }) => keyId === undefined || id === keyId);
    let failure: unknown = new Error(`the key ${keyId} of a sealed secret is not configured`);
    for (const key of candidates) {
      try {
        return openUnder(key, box, owner);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }
}

function openUnder({ secret: key }: NamedSecret, box: Buffer, owner: string): string {
  const nonce = box.subarray(0, nonceBytes);
  const tag = box.subarray(box.length - tagBytes);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(owner)).setAuthTag(tag);
  return decipher.update(box.subarray(nonceBytes, -tagBytes), undefined, "utf8") + decipher.final("utf8");
}
