import { createHash, createHmac, randomBytes } from "node:crypto";
import { base62 } from "./base62.ts";

/**
 * An API key is `sk-`, 27 base62 characters that carry 160 random bits, and a checksum of 6
 * characters. The checksum lets the router reject a mistyped or invented key without calling any
 * service.
 */
const prefix = "sk-";
const secretBytes = 20;
const bodyLength = 27;
const checksumLength = 6;

const pattern = /^sk-[0-9A-Za-z]{33}$/;

const toNumber = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString("hex")}`);

/**
 * The checksum of a key's body: SHA-256 of the body, its first 8 bytes modulo 62^6, in 6
 * characters.
 */
export function checksum(body: string): string {
  return base62(toNumber(createHash("sha256").update(body).digest().subarray(0, 8)), checksumLength);
}

/** Generates a key from the system's random source. */
export function generateKey(): string {
  return keyOf(randomBytes(secretBytes));
}

/** Derives a key from a secret: the same for the same input, and unknown without the secret. */
export function deriveKey(secret: Uint8Array, input: Uint8Array): string {
  return keyOf(createHmac("sha256", secret).update("derived key").update(input).digest().subarray(0, secretBytes));
}

function keyOf(bytes: Uint8Array): string {
  const body = base62(toNumber(bytes), bodyLength);
  return `${prefix}${body}${checksum(body)}`;
}

/**
 * Returns `text` if it has the form of a key and its checksum matches, else undefined. Says nothing
 * about whether the key was ever issued.
 */
export function parseKey(text: string): string | undefined {
  if (!pattern.test(text)) return undefined;
  const body = text.slice(prefix.length, prefix.length + bodyLength);
  return checksum(body) === text.slice(prefix.length + bodyLength) ? text : undefined;
}

/** What is stored and looked up instead of a key: HMAC-SHA256 under the pepper, 32 bytes. */
export function digestKey(key: string, pepper: Uint8Array): Buffer {
  return createHmac("sha256", pepper).update(key).digest();
}
