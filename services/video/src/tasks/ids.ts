import { randomBytes } from "node:crypto";

/**
 * A UUID of version 7 (RFC 9562): ids of tasks sort by the time of their making, so pages of a
 * listing need no more.
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

/**
 * True for text that could be the id of a task; all else is as unknown as an id that nobody has.
 */
export function mayBeId(text: string): boolean {
  return shape.test(text);
}
