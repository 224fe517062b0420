/** Tokens per second that an estimate assumes a model generates, when none of them can be seen. */
const tokensPerSecond = 100;

/**
 * Estimates what a call generated in this time, when it was aborted before the upstream reported
 * usage.
 */
export function unseenTokens(workedMs: number, maxTokens: number): number {
  return Math.min(Math.ceil((workedMs / 1_000) * tokensPerSecond), maxTokens);
}
