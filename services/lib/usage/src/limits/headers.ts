import { goDuration } from "./go-duration.ts";

/** The limits per minute, which responses show. */
export type WindowName = "requests" | "tokens";

/** Current state of one per-minute limit. */
export interface Standing {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until all of it is free again. */
  readonly resetMs: number;
}

/** The headers of a response, as of now. */
export interface LimitHeaders {
  /** @param refused the limit that refuses the request, shown in place of what it is compared with */
  headers(native: boolean, refused?: { readonly name: WindowName; readonly standing: Standing }): string[];
}

/** Of several limits of one kind, the one that leaves the least. */
export function tightest(standings: readonly (Standing | undefined)[]): Standing | undefined {
  let found: Standing | undefined;
  for (const standing of standings) {
    if (standing === undefined) continue;
    const less = found === undefined || standing.remaining < found.remaining;
    if (less || (standing.remaining === found?.remaining && standing.resetMs > found.resetMs)) found = standing;
  }
  return found;
}

/**
 * Headers of the per-minute limits, alternating name and value: OpenAI's `x-ratelimit-*`, the IETF's
 * `ratelimit` and `ratelimit-policy`, and Anthropic's as well on messages operations.
 * https://platform.openai.com/docs/guides/rate-limits
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 * https://docs.anthropic.com/en/api/rate-limits
 */
export function limitHeaders(
  standings: { readonly requests: Standing | undefined; readonly tokens: Standing | undefined },
  options: { readonly native: boolean; readonly nowMs: number },
): string[] {
  const headers: string[] = [];
  const policies: string[] = [];
  const states: string[] = [];
  for (const name of ["requests", "tokens"] as const) {
    const standing = standings[name];
    if (standing === undefined) continue;
    const limit = String(standing.limit);
    const remaining = String(standing.remaining);
    headers.push(`x-ratelimit-limit-${name}`, limit, `x-ratelimit-remaining-${name}`, remaining);
    headers.push(`x-ratelimit-reset-${name}`, goDuration(standing.resetMs));
    policies.push(`"${name}";q=${limit};qu="${name}";w=60`);
    states.push(`"${name}";r=${remaining};t=${Math.ceil(standing.resetMs / 1_000)}`);
    if (!options.native) continue;
    headers.push(`anthropic-ratelimit-${name}-limit`, limit, `anthropic-ratelimit-${name}-remaining`, remaining);
    headers.push(`anthropic-ratelimit-${name}-reset`, rfc3339(options.nowMs + standing.resetMs));
  }
  if (policies.length > 0) headers.push("ratelimit-policy", policies.join(", "), "ratelimit", states.join(", "));
  return headers;
}

/** RFC 3339 time in whole seconds, rounded up. */
function rfc3339(ms: number): string {
  return `${new Date(Math.ceil(ms / 1_000) * 1_000).toISOString().slice(0, 19)}Z`;
}
