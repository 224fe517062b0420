import { createHash, createHmac, randomBytes } from "node:crypto";
import { base62 } from "./base62.ts";

/**
 * An API key is `sk-`, 27 characters of base62 that carry 160 random bits, and 6 characters that
 * check them. The check lets the router turn away a mistyped or invented key without asking anyone.
 */
const prefix = "sk-";
const secretBytes = 20;
const bodyLength = 27;
const checksumLength = 6;

const pattern = /^sk-[0-9A-Za-z]{33}$/;

const toNumber = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString("hex")}`);

/**
 * The 6 characters that follow a key's body: SHA-256 of the body, its first 8 bytes modulo 62^6.
 */
export function checksum(body: string): string {
  return base62(toNumber(createHash("sha256").update(body).digest().subarray(0, 8)), checksumLength);
}

/** A new key from the system's random source. */
export function generateKey(): string {
  const body = base62(toNumber(randomBytes(secretBytes)), bodyLength);
  return `${prefix}${body}${checksum(body)}`;
}

/**
 * The key if `text` is formed like one and its checksum fits, else undefined. Whether it was ever
 * issued is another question.
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
