import { randomFillSync } from "node:crypto";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
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
  let text = "";
  for (let rest = ms, i = 0; i < timeDigits; i++) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  lastMs = ms;
  lastTime = text;
  return text;
}

/** A string of `length` characters of 0-9A-Za-z from the system's random source, without modulo bias. */
export function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    const byte = randomByte();
    if (byte < 248) text += alphabet[byte % 62];
  }
  return text;
}

/** An id that sorts by the time it was made: `<prefix>_` + 8 characters of time + 14 (83 bits) of chance. */
export function newId(prefix: string): string {
  return `${prefix}_${timePart(Date.now())}${randomText(randomDigits)}`;
}
