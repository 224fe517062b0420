import { setTimeout as sleep } from "node:timers/promises";

const hourMs = 3_600_000;
const roomMs = 60_000;

/**
 * Waits, in the last minute of an hour, for the next: what is used from here on is one hour's, one
 * day's and one month's.
 */
export async function roomInHour(): Promise<void> {
  const leftMs = hourMs - (Date.now() % hourMs);
  if (leftMs < roomMs) await sleep(leftMs);
}
