import { setTimeout as sleep } from "node:timers/promises";

const minuteMs = 60_000;

/**
 * Lets the last minute of a month (UTC) pass: what counts by the month would begin anew in the
 * middle of a test.
 */
export async function awayFromMonthsEnd(): Promise<void> {
  const now = new Date();
  const leftMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime();
  if (leftMs < minuteMs) await sleep(leftMs);
}
