import type { VideoSettings } from "../config.ts";

type PollSettings = Pick<VideoSettings, "POLL_SCALE" | "POLL_TIMEOUT_MS" | "CREATE_TIMEOUT_MS">;

/** An old task is polled up to this many times less often than a new one. */
const maxSlowdown = 4;
/** A task's delay has doubled after this many polls. */
const youngPolls = 60;

/** Milliseconds until the next poll: longer with age, and with jitter of 20 % either way. */
export function pollDelayMs(
  settings: PollSettings,
  options: { pollMs: number; ageMs: number; random?: () => number },
): number {
  const { pollMs, ageMs, random = Math.random } = options;
  const usualMs = pollMs * settings.POLL_SCALE;
  const slowdown = Math.min(maxSlowdown, 1 + ageMs / (usualMs * youngPolls));
  return usualMs * slowdown * (0.8 + 0.4 * random());
}

/** How long a claim on a task lasts, milliseconds. */
export function leaseMs(settings: PollSettings): number {
  return settings.POLL_TIMEOUT_MS * 1.5;
}

/** How long a submission may take, milliseconds, before the task counts as abandoned. */
export function createLeaseMs(settings: PollSettings): number {
  return settings.CREATE_TIMEOUT_MS * 1.25;
}
