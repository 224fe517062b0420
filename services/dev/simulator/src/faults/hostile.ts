import { randomFrom } from "../content/hash.ts";
import type { Faults } from "./catalogue.ts";

/** The faults of an attempt, each with its weight. */
const choices: readonly (readonly [weight: number, faults: Faults])[] = [
  [30, {}],
  // Wrong counters.
  [10, { "usage-lie": 3 }],
  [5, { "usage-lie": 0 }],
  // Huge ones: beyond belief, and beyond what a number holds.
  [6, { "usage-lie": 1e8 }],
  [3, { "usage-lie": 1e300 }],
  // Missing, negative, and of other types.
  [10, { "usage-missing": 1 }],
  [5, { "usage-negative": 1 }],
  [4, { "usage-text": 1 }],
  [4, { "usage-fraction": 1 }],
  // New counters.
  [10, { "usage-new": 7 }],
  // Usage at the end only, running, or several times.
  [4, { "usage-cumulative": 1 }],
  [4, { "usage-repeat": 3 }],
  // Errors under status 200, with and without usage.
  [8, { "ok-error-usage": 1 }],
  [3, { "ok-error": 1 }],
  [4, { "error-event": 3 }],
  // Responses that end early or cannot be read.
  [4, { "garbage-event": 3 }],
  [3, { cut: 3 }],
  [3, { truncate: 200 }],
  [3, { "reset-chunks": 3 }],
  [3, { garbage: 1 }],
  // Tasks that are charged although they end without a video.
  [3, { "task-fail": "The task failed.", "task-charged": 1 }],
  [2, { "task-expire": 1, "task-charged": 1 }],
  [2, { moderation: 1 }],
  // Responses that are too large.
  [0.3, { huge: 70, "huge-chunk": 4096 }],
];
const total = choices.reduce((sum, [weight]) => sum + weight, 0);

/** The faults of an attempt: the same for the same seed and request.
 * @param attempt the number of earlier attempts of the request */
export function hostileFaults(seed: number, digest: string, attempt: number): Faults {
  let at = randomFrom(digest, `hostile ${seed} ${attempt}`)() * total;
  for (const [weight, faults] of choices) {
    at -= weight;
    if (at < 0) return faults;
  }
  return {};
}
