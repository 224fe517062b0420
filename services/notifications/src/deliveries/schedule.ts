const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * Pauses after each failed attempt, milliseconds (the schedule suggested by Standard Webhooks 1.0).
 */
const pausesMs: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

const jitter = 0.2;
const maxRequestedMs = 24 * hour;

export interface NextTry {
  /** Attempts so far in this series, from 1. */
  readonly tries: number;
  /** The delay requested by the receiver, milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Factor on the schedule, for tests. */
  readonly scale: number;
  readonly random?: () => number;
}

/**
 * Milliseconds until the next attempt; undefined when none is left. A receiver that asks for more
 * time gets it, up to a day.
 */
export function nextTryMs({ tries, retryAfterMs = 0, scale, random = Math.random }: NextTry): number | undefined {
  const pauseMs = pausesMs[tries - 1];
  if (pauseMs === undefined) return undefined;
  const usual = pauseMs * scale * (1 + jitter * random());
  return Math.max(usual, Math.min(retryAfterMs, maxRequestedMs));
}
