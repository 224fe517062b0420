/**
 * Tokens a second that a model makes at least as an estimate takes it, where nothing of them is
 * seen.
 */
const tokensPerSecond = 100;

/**
 * What a call may have made in so many milliseconds, where the upstream was given up before it
 * said.
 */
export function unseenTokens(workedMs: number, maxTokens: number): number {
  return Math.min(Math.ceil((workedMs / 1_000) * tokensPerSecond), maxTokens);
}
