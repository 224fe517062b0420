/**
 * The delay requested by an upstream, milliseconds: `retry-after-ms`, or `retry-after` as seconds
 * or as an HTTP date. Undefined when absent or invalid.
 */
export function retryAfterMs(header: (name: string) => string | undefined, now: number): number | undefined {
  const exact = Number(header("retry-after-ms") ?? Number.NaN);
  if (exact >= 0) return Math.min(exact, max);
  const text = header("retry-after")?.trim();
  if (text === undefined || text === "") return undefined;
  const seconds = Number(text);
  if (seconds >= 0) return Math.min(seconds * 1000, max);
  const date = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.min(Math.max(0, date - now), max);
}

const max = 24 * 60 * 60 * 1000;
