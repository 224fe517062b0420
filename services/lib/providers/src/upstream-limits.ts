import type { HttpResponse } from "./http/call.ts";

const names = ["requests", "tokens"].flatMap((what) =>
  ["limit", "remaining", "reset"].flatMap((standing) => [
    `x-ratelimit-${standing}-${what}`,
    `anthropic-ratelimit-${what}-${standing}`,
  ]),
);
/** A number, a Go duration or a time. */
const sane = /^[\w.:+-]{1,64}$/;

/**
 * A provider's rate limit headers, names and values alternating; all who use its account share the
 * limits.
 */
export function upstreamLimits(response: Pick<HttpResponse, "header">): string[] {
  return names.flatMap((name) => {
    const value = response.header(name);
    return value !== undefined && sane.test(value) ? [name, value] : [];
  });
}
