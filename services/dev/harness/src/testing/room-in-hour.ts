import { setTimeout as sleep } from "node:timers/promises";

const hourMs = 3_600_000;
const roomMs = 60_000;

/**
 * In the last minute of an hour, waits for the next hour, so that all usage that follows falls into
 * the same hour, day and month.
 */
export async function roomInHour(): Promise<void> {
  const leftMs = hourMs - (Date.now() % hourMs);
  if (leftMs < roomMs) await sleep(leftMs);
}
