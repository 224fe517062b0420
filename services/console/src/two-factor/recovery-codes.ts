import { createHash, randomInt } from "node:crypto";

const count = 10;
/** Without letters and digits that look alike. */
const alphabet = "abcdefghjkmnpqrstuvwxyz23456789";
const groups = 3;
const groupLength = 4;

const group = (): string => Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join("");

/** New recovery codes, each of 59 bits: too many to guess, so a plain digest protects them. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: count }, () => Array.from({ length: groups }, group).join("-"));

/** What is stored of a code. Case, spaces and dashes do not matter. */
export const recoveryDigest = (code: string): string =>
  createHash("sha256")
    .update(code.toLowerCase().replaceAll(/[^a-z0-9]/g, ""))
    .digest("base64url");
