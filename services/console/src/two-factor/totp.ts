import { Secret, TOTP } from "otpauth";

const secretBytes = 20;
/** Steps of 30 s by which a clock may be off. */
const window = 1;
const issuer = "AI Gateway";

/** A new secret of an authenticator app, in base32. */
export const newTotpSecret = (): string => new Secret({ size: secretBytes }).base32;

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({ issuer, label, algorithm: "SHA1", digits: 6, period: 30, secret });

/** The `otpauth:` address that apps read from a QR code. */
export const totpUri = (secret: string, label: string): string => totpOf(secret, label).toString();

/** The time step that a code belongs to; undefined for an incorrect one. */
export function stepOf(secret: string, code: string, nowMs: number = Date.now()): number | undefined {
  const totp = totpOf(secret, "");
  const delta = totp.validate({ token: code, timestamp: nowMs, window });
  return delta === null ? undefined : totp.counter({ timestamp: nowMs }) + delta;
}
