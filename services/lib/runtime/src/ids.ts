import { createHash, randomFillSync } from "node:crypto";
import { base62, base62Digits } from "./base62.ts";

const timeDigits = 8;
const randomDigits = 14;

const pool = Buffer.allocUnsafe(4096);
let used = pool.length;

function randomByte(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool[used++] as number;
}

let lastMs = -1;
let lastTime = "";

function timePart(ms: number): string {
  if (ms === lastMs) return lastTime;
  lastMs = ms;
  lastTime = base62(BigInt(ms), timeDigits);
  return lastTime;
}

/**
 * A string of `length` characters of 0-9A-Za-z from the system's random source, without modulo
 * bias.
 */
export function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    const byte = randomByte();
    if (byte < 248) text += base62Digits[byte % 62];
  }
  return text;
}

/**
 * An id that sorts by creation time: `<prefix>_` + 8 characters of time + 14 random ones (83 bits).
 */
export function newId(prefix: string): string {
  return `${prefix}_${timePart(Date.now())}${randomText(randomDigits)}`;
}

/**
 * A request's id in the form of a UUID (version 8, RFC 9562), for formats that promise one:
 * deterministic.
 */
export function requestUuid(requestId: string): string {
  const hex = createHash("sha256").update(requestId).digest("hex");
  const variant = ((Number.parseInt(hex[16] as string, 16) & 3) | 8).toString(16);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join("-");
}
