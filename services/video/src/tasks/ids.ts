import { randomBytes } from "node:crypto";

/**
 * A UUID of version 7 (RFC 9562): task ids sort by creation time, so listings can be paged by id
 * alone.
 */
export function newTaskId(nowMs: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

const shape = /^[A-Za-z0-9_-]{1,100}$/;

/** True for text that could be a task id; any other is treated like an id that does not exist. */
export function mayBeId(text: string): boolean {
  return shape.test(text);
}
