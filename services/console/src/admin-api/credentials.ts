import { GatewayError } from "@uag/contract/errors/gateway-error";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { Events } from "../events.ts";
import type { Person } from "../people/person.ts";
import type { Sessions } from "../sign-in/sessions.ts";
import type { SessionDocument } from "../store/sessions.ts";
import type { AdminApi } from "./client.ts";

/** The admin API's roles that tokens of users have. */
export type TokenRole = "operator" | "keys" | "read-only";

export interface CredentialOptions {
  readonly api: AdminApi;
  /** The console's own token. */
  readonly ownToken: string;
  readonly sessions: Sessions;
  readonly events: Events;
}

interface Secret {
  readonly id: string;
  readonly secret: string;
  /** Unix milliseconds. */
  readonly endsAt: number;
}

const tokenMs = 3_600_000;
const keyMs = 12 * 3_600_000;
/** One that expires within this is no longer used, milliseconds. */
const slackMs = 300_000;
const maxKept = 10_000;

const playgroundAlias = "Console playground";
/** The field of a key's metadata with the id of the user who created it in the console. */
export const makerField = "console_user";
/** Distinguishes the playground's keys from those that people create. */
export const purposeField = "console_purpose";

/** The name of the admin tokens that the console creates for a user; the audit log shows it. */
export const tokenNameOf = (email: string): string => `Console: ${email}`.slice(0, 200);

const newToken = z.object({ id: z.string(), token: z.string() });
const newKey = z.object({ id: z.string(), key: z.string() });

/**
 * The credentials by which the console acts for a person: admin tokens of the person's own role,
 * and keys for the playground. They are created when needed, kept only in memory, short-lived, and
 * revoked when the session ends.
 */
export class DelegatedCredentials {
  readonly #options: CredentialOptions;
  readonly #kept = new LRUCache<string, Promise<Secret>>({ max: maxKept });

  constructor(options: CredentialOptions) {
    this.#options = options;
  }

  /** An admin token, scoped to the person's account if they have one. */
  token(person: Person, role: TokenRole): Promise<string> {
    return this.#get(cacheNameOfToken(person, role), () => this.#makeToken(person, role));
  }

  /** An API key of an account, for the playground. */
  key(person: Person, accountId: string): Promise<string> {
    return this.#get(cacheNameOfKey(person, accountId), () => this.#makeKey(person, accountId));
  }

  /** Drops a token that was refused. */
  dropToken(person: Person, role: TokenRole): void {
    this.#kept.delete(cacheNameOfToken(person, role));
  }

  dropKey(person: Person, accountId: string): void {
    this.#kept.delete(cacheNameOfKey(person, accountId));
  }

  /**
   * Revokes what was created for sessions that have ended. What cannot be revoked now expires.
   */
  async revoke(sessions: readonly Pick<SessionDocument, "borrowed">[]): Promise<void> {
    const { api, ownToken, events } = this.#options;
    for (const { kind, id } of sessions.flatMap(({ borrowed }) => borrowed)) {
      const path = kind === "token" ? `/tokens/${id}` : `/keys/${id}`;
      await api.call(ownToken, { method: "DELETE", path }).catch(events.leftBehind);
    }
  }

  /** Concurrent calls get the same one. */
  async #get(name: string, make: () => Promise<Secret>): Promise<string> {
    const kept = this.#kept.get(name);
    const usable = await kept?.then(
      ({ endsAt }) => endsAt - Date.now() > slackMs,
      () => false,
    );
    const current = this.#kept.get(name);
    if (current !== undefined && (usable || current !== kept)) return (await current).secret;
    const pending = make();
    this.#kept.set(name, pending);
    try {
      return (await pending).secret;
    } catch (error) {
      if (this.#kept.get(name) === pending) this.#kept.delete(name);
      throw error;
    }
  }

  async #makeToken(person: Person, role: TokenRole): Promise<Secret> {
    const { api, ownToken, events } = this.#options;
    const { user } = person;
    const endsAt = Date.now() + tokenMs;
    const body = {
      name: tokenNameOf(user.email),
      role,
      account_id: user.accountId,
      expires: new Date(endsAt),
    };
    const made = await api.call(ownToken, { method: "POST", path: "/tokens", body }).catch((error: unknown) => {
      if (!(error instanceof GatewayError) || error.code !== "invalid_api_key") throw error;
      events.tokenRefused(error);
      throw new GatewayError("service_unavailable", undefined, { cause: error });
    });
    const { id, token } = newToken.parse(made);
    await this.#record(person, { kind: "token", id });
    return { id, secret: token, endsAt };
  }

  async #makeKey(person: Person, accountId: string): Promise<Secret> {
    const { user, session } = person;
    const token = await this.token(person, user.role === "operator" ? "operator" : "keys");
    const endsAt = Math.min(Date.now() + keyMs, session.endsAtLatest.getTime());
    const metadata = { [purposeField]: "playground", [makerField]: user._id };
    const limits = user.role === "member" ? user.keyLimits : {};
    const body = { ...limits, account_id: accountId, key_alias: playgroundAlias, expires: new Date(endsAt), metadata };
    const made = newKey.parse(await this.#options.api.call(token, { method: "POST", path: "/keys", body }));
    await this.#record(person, { kind: "key", id: made.id });
    return { id: made.id, secret: made.key, endsAt: endsAt + slackMs };
  }

  /** Records it with the session, so that any replica that ends it can revoke it. */
  async #record({ session }: Person, credential: SessionDocument["borrowed"][number]): Promise<void> {
    if (await this.#options.sessions.addCredential(session._id, credential)) return;
    await this.revoke([{ borrowed: [credential] }]);
    throw new GatewayError("invalid_api_key", "The session has ended. Sign in again.");
  }
}

const cacheNameOfToken = ({ session, user }: Person, role: TokenRole): string =>
  [session._id, "token", user.role, user.accountId ?? "", role].join(" ");

const cacheNameOfKey = ({ session, user }: Person, accountId: string): string =>
  [session._id, "key", user.role, accountId].join(" ");
