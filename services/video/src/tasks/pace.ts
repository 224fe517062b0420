import type { VideoSettings } from "../config.ts";

type Pace = Pick<VideoSettings, "POLL_SCALE" | "LOOK_TIMEOUT_MS" | "CREATE_TIMEOUT_MS">;

/** An old task is looked at this much less often than a young one. */
const slowest = 4;
/** A task counts as old after this many pauses. */
const youngLooks = 60;

/** Milliseconds until the next look: longer with age, and never the same for two tasks. */
export function nextLookMs(pace: Pace, options: { pollMs: number; ageMs: number; random?: () => number }): number {
  const { pollMs, ageMs, random = Math.random } = options;
  const usual = pollMs * pace.POLL_SCALE;
  const slower = Math.min(slowest, 1 + ageMs / (usual * youngLooks));
  return usual * slower * (0.8 + 0.4 * random());
}

/** How long whoever looks at a task has it for itself. */
export function leaseMs(pace: Pace): number {
  return pace.LOOK_TIMEOUT_MS * 1.5;
}

/** How long a submission may take before the task counts as left behind by its process. */
export function createLeaseMs(pace: Pace): number {
  return pace.CREATE_TIMEOUT_MS * 1.25;
}
