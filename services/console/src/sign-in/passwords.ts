import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { GatewayError } from "@uag/contract/errors/gateway-error";

/**
 * OWASP's first choice for argon2id:
 * https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
 */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
const saltBytes = 16;
/** Each takes 19 MiB and a thread of the pool for some 30 ms. */
const maxConcurrent = 4;
const maxWaiting = 64;

const derive = promisify(argon2);

export const minPasswordLength = 12;
export const maxPasswordLength = 200;

/** Hashes passwords, a few at a time. */
export class Passwords {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  /** Compared with when there is no such user, so that both cases take as long. */
  readonly #nobody =
    `argon2id$${randomBytes(saltBytes).toString("base64")}$${randomBytes(cost.tagLength).toString("base64")}`;

  /** The text to be stored: `argon2id$<salt>$<hash>`, both in base64. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(saltBytes);
    return `argon2id$${salt.toString("base64")}$${(await this.#derive(password, salt)).toString("base64")}`;
  }

  /**
   * True when the password is the one that was stored. With none stored it takes as long and is
   * false.
   */
  async matches(password: string, stored: string | null | undefined): Promise<boolean> {
    const [, salt = "", hash = ""] = (stored ?? this.#nobody).split("$");
    const given = await this.#derive(password, Buffer.from(salt, "base64"));
    const expected = Buffer.from(hash, "base64");
    return given.length === expected.length && timingSafeEqual(given, expected) && typeof stored === "string";
  }

  async #derive(message: string, nonce: Buffer): Promise<Buffer> {
    if (this.#running >= maxConcurrent) {
      if (this.#waiting.length >= maxWaiting) {
        const cause = new Error(`${maxWaiting} passwords wait to be hashed`);
        throw new GatewayError("service_unavailable", undefined, { retryAfterMs: 1_000, cause });
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running++;
    try {
      return Buffer.from(await derive("argon2id", { message, nonce, ...cost }));
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
