import { goDuration } from "./go-duration.ts";

/** How one limit per minute stands. */
export interface Standing {
  readonly limit: number;
  readonly remaining: number;
  /** Until all of it is free again. */
  readonly resetMs: number;
}

/**
 * The headers of limits per minute, name and value by turns: OpenAI's `x-ratelimit-*`, and on
 * messages operations Anthropic's besides. https://platform.openai.com/docs/guides/rate-limits
 * https://docs.anthropic.com/en/api/rate-limits
 */
export function limitHeaders(
  standings: { readonly requests: Standing | undefined; readonly tokens: Standing | undefined },
  options: { readonly native: boolean; readonly nowMs: number },
): string[] {
  const headers: string[] = [];
  for (const name of ["requests", "tokens"] as const) {
    const standing = standings[name];
    if (standing === undefined) continue;
    const limit = String(standing.limit);
    const remaining = String(standing.remaining);
    headers.push(`x-ratelimit-limit-${name}`, limit, `x-ratelimit-remaining-${name}`, remaining);
    headers.push(`x-ratelimit-reset-${name}`, goDuration(standing.resetMs));
    if (!options.native) continue;
    headers.push(`anthropic-ratelimit-${name}-limit`, limit, `anthropic-ratelimit-${name}-remaining`, remaining);
    headers.push(`anthropic-ratelimit-${name}-reset`, rfc3339(options.nowMs + standing.resetMs));
  }
  return headers;
}

/** Whole seconds, rounded up. */
function rfc3339(ms: number): string {
  return `${new Date(Math.ceil(ms / 1_000) * 1_000).toISOString().slice(0, 19)}Z`;
}
