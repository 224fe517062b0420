import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Sealed, SecretBox } from "@uag/runtime/secret-box";
import type { Store } from "../store/store.ts";
import type { Role, SealedSecret, UserDocument } from "../store/users.ts";
import { newRecoveryCodes, recoveryDigest } from "./recovery-codes.ts";
import { newTotpSecret, stepOf, totpUri } from "./totp.ts";

/** How a user proved the second factor. */
export type Factor = "totp" | "recovery_code";

export interface TwoFactorOptions {
  readonly users: Store["users"];
  /** Encrypts the secrets; undefined where no key is configured: then the second factor is not offered. */
  readonly box: SecretBox | undefined;
  /** Roles that need a second factor. */
  readonly requiredRoles: readonly Role[];
}

/** How long an app may be set up before the secret must be requested again, milliseconds. */
const pendingMs = 15 * 60_000;
const digits = /^\d{6}$/;

/**
 * The second factor of users with a password: codes of an authenticator app (TOTP, RFC 6238), and
 * recovery codes for when it is lost. Each code works once.
 */
export class TwoFactor {
  readonly #users: Store["users"];
  readonly #box: SecretBox | undefined;
  readonly #requiredRoles: ReadonlySet<Role>;

  constructor({ users, box, requiredRoles }: TwoFactorOptions) {
    this.#users = users;
    this.#box = box;
    this.#requiredRoles = new Set(requiredRoles);
  }

  /** What is shown of it to the user. */
  show(user: UserDocument) {
    return {
      offered: this.#box !== undefined && user.password !== null,
      enabled: user.twoFactor !== undefined,
      required: this.isRequired(user),
      recovery_codes_left: user.twoFactor?.recoveryDigests.length ?? 0,
    };
  }

  /** Whether the user's role needs it. A user of the sign-in provider has theirs there. */
  isRequired({ role, password }: UserDocument): boolean {
    return password !== null && this.#requiredRoles.has(role);
  }

  /** Whether the user has to set it up before anything else. */
  isMissing(user: UserDocument): boolean {
    return this.isRequired(user) && user.twoFactor === undefined;
  }

  /**
   * Makes a secret for an authenticator app. It counts once a code of it is confirmed.
   * @throws {GatewayError} `not_found` where it is not offered, `already_exists` if it is enabled
   */
  async begin({ _id, email, password, twoFactor }: UserDocument): Promise<{ secret: string; uri: string }> {
    if (password === null) throw new GatewayError("not_found");
    if (twoFactor !== undefined) throw new GatewayError("already_exists", "Two-factor authentication is enabled.");
    const secret = newTotpSecret();
    const pending = { sealed: this.#seal(secret, _id), endsAt: new Date(Date.now() + pendingMs) };
    await this.#users.updateOne({ _id }, { $set: { twoFactorPending: pending } });
    return { secret, uri: totpUri(secret, email) };
  }

  /** Whether a code is of the secret that is being set up. */
  isPendingCode({ _id, twoFactorPending: pending }: UserDocument, code: string): boolean {
    if (pending === undefined || pending.endsAt <= new Date()) return false;
    return stepOf(this.#openSealed(pending.sealed, _id), code) !== undefined;
  }

  /** Enables what is being set up. @returns the recovery codes, which are shown this once */
  async enable({ _id, twoFactorPending: pending }: UserDocument, code: string): Promise<string[]> {
    if (pending === undefined) throw new GatewayError("not_found");
    const lastStep = stepOf(this.#openSealed(pending.sealed, _id), code) ?? 0;
    const codes = newRecoveryCodes();
    const twoFactor = { sealed: pending.sealed, lastStep, recoveryDigests: codes.map(recoveryDigest) };
    await this.#users.updateOne(
      { _id, twoFactor: { $exists: false } },
      { $set: { twoFactor }, $unset: { twoFactorPending: 1 } },
    );
    return codes;
  }

  /** Uses a code of the app, or a recovery code, up; undefined for an incorrect or a used one. */
  async use(user: UserDocument, code: string): Promise<Factor | undefined> {
    const typed = code.replaceAll(/\s/g, "");
    if (digits.test(typed)) return (await this.#useStep(user, typed)) ? "totp" : undefined;
    const digest = recoveryDigest(code);
    const used = await this.#users.updateOne(
      { _id: user._id, "twoFactor.recoveryDigests": digest },
      { $pull: { "twoFactor.recoveryDigests": digest } },
    );
    return used.modifiedCount === 1 ? "recovery_code" : undefined;
  }

  /** A step is used once: a code that was seen on the way does not open a second session. */
  async #useStep({ _id, twoFactor }: UserDocument, code: string): Promise<boolean> {
    if (twoFactor === undefined) return false;
    const secret = this.#openSealed(twoFactor.sealed, _id);
    const step = stepOf(secret, code);
    if (step === undefined) return false;
    // A replaced key is out of use once its users have signed in.
    const isStale = this.#box?.isStale(sealedOf(twoFactor.sealed)) === true;
    const set = { "twoFactor.lastStep": step, ...(isStale && { "twoFactor.sealed": this.#seal(secret, _id) }) };
    const used = await this.#users.updateOne({ _id, "twoFactor.lastStep": { $lt: step } }, { $set: set });
    return used.modifiedCount === 1;
  }

  /** Replaces the recovery codes. @returns the new ones, which are shown this once */
  async renewRecoveryCodes(userId: string): Promise<string[]> {
    const codes = newRecoveryCodes();
    const set = { "twoFactor.recoveryDigests": codes.map(recoveryDigest) };
    await this.#users.updateOne({ _id: userId, twoFactor: { $exists: true } }, { $set: set });
    return codes;
  }

  /** Ends it: the password alone signs the user in, until they set it up again. */
  async remove(userId: string): Promise<void> {
    await this.#users.updateOne({ _id: userId }, { $unset: { twoFactor: 1, twoFactorPending: 1 } });
  }

  #seal(secret: string, userId: string): SealedSecret {
    if (this.#box === undefined) throw new GatewayError("not_found", "This console has no TOTP_KEY.");
    const { box, keyId } = this.#box.seal(secret, userId);
    return { box: box.toString("base64"), keyId: keyId ?? "" };
  }

  #openSealed(sealed: SealedSecret, userId: string): string {
    if (this.#box === undefined) {
      const cause = new Error("TOTP_KEY is not set, but users have set up two-factor sign-in");
      throw new GatewayError("service_unavailable", undefined, { cause });
    }
    return this.#box.open(sealedOf(sealed), userId);
  }
}

const sealedOf = ({ box, keyId }: SealedSecret): Sealed => ({ box: Buffer.from(box, "base64"), keyId });
