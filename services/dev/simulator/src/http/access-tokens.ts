import { randomBytes } from "node:crypto";

const lifeMs = 3_599_000;

/** The access tokens that a simulated authority has granted. */
export class AccessTokens {
  readonly #prefix: string;
  readonly #expiry = new Map<string, number>();

  /** @param prefix how its tokens begin */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** The response to a grant (RFC 6749, 5.1). */
  grant(): { token_type: "Bearer"; expires_in: number; access_token: string } {
    const token = `${this.#prefix}${randomBytes(48).toString("base64url")}`;
    this.#expiry.set(token, Date.now() + lifeMs);
    return { token_type: "Bearer", expires_in: lifeMs / 1000, access_token: token };
  }

  /** Revokes all of them. */
  revoke(): void {
    this.#expiry.clear();
  }

  isValid(token: string): boolean {
    return (this.#expiry.get(token) ?? 0) > Date.now();
  }

  /** The token of a bearer header if it is valid, else a credential that every protocol rejects; undefined without one. */
  credentialIn(authorization: string | undefined): string | undefined {
    const token = /^bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) return undefined;
    return this.isValid(token) ? token : `bad-${token}`;
  }
}
