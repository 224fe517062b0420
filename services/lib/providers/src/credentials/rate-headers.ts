import type { HttpResponse } from "../http/call.ts";

/**
 * What a provider reports of one limit: how much is left, and, as it was written, the limit and when
 * all of it is available again. These are read only when too little is left, which is rare.
 */
export interface ReportedLimit {
  readonly remaining: number;
  readonly limit: string | undefined;
  readonly reset: string | undefined;
}

/** One limit's headers. Made once, since they are read at every response. */
interface Names {
  readonly remaining: string;
  readonly limit: string;
  readonly reset: string;
}

const openAi = (what: string): Names => ({
  remaining: `x-ratelimit-remaining-${what}`,
  limit: `x-ratelimit-limit-${what}`,
  reset: `x-ratelimit-reset-${what}`,
});
const anthropic = (what: string): Names => ({
  remaining: `anthropic-ratelimit-${what}-remaining`,
  limit: `anthropic-ratelimit-${what}-limit`,
  reset: `anthropic-ratelimit-${what}-reset`,
});

/**
 * https://developers.openai.com/api/docs/guides/rate-limits,
 * https://platform.claude.com/docs/en/api/rate-limits
 */
export const requestLimits = [openAi("requests"), anthropic("requests")];
export const tokenLimits = [
  openAi("tokens"),
  anthropic("tokens"),
  anthropic("input-tokens"),
  anthropic("output-tokens"),
];

/** A credential is not avoided for longer because of a header; a daily limit is seen again then. */
const maxResetMs = 3_600_000;

/** The limit that has the least left; undefined if the response has none of these headers. */
export function reportedLimit(
  response: Pick<HttpResponse, "header">,
  names: readonly Names[],
): ReportedLimit | undefined {
  let least: ReportedLimit | undefined;
  for (const { remaining: name, limit, reset } of names) {
    const remaining = countIn(response.header(name));
    if (remaining === undefined || remaining >= (least?.remaining ?? Number.POSITIVE_INFINITY)) continue;
    least = { remaining, limit: response.header(limit), reset: response.header(reset) };
  }
  return least;
}

/** When all of a limit is available again, milliseconds after the report. @param nowMs of the report, Unix milliseconds */
export const resetMsOf = ({ reset }: ReportedLimit, nowMs: number): number =>
  Math.min(maxResetMs, durationIn(reset, nowMs) ?? 0);

/** The whole limit; Infinity: not reported. */
export const wholeOf = ({ limit }: ReportedLimit): number => countIn(limit) ?? Number.POSITIVE_INFINITY;

function countIn(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,15}$/.test(text)) return undefined;
  return Number(text);
}

const unitMs = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
const rfc3339 = /^\d{4}-\d\d-\d\dT/;
const goDuration = /^(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,9}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?$/;

/** `6m0s`, `20ms`, a number of seconds or an RFC 3339 time; undefined for anything else. */
export function durationIn(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined || text === "" || text.length > 40) return undefined;
  const parts = goDuration.exec(text);
  if (parts === null) {
    if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text) * unitMs.s;
    const at = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
  }
  const [, hours = 0, minutes = 0, seconds = 0, ms = 0] = parts;
  return Number(hours) * unitMs.h + Number(minutes) * unitMs.m + Number(seconds) * unitMs.s + Number(ms) * unitMs.ms;
}
